"""Questions as expressions: the algebra, its types and units, its normal form, and how it is written down.

What a sentence says and what the files hold live elsewhere: an expression means the same whatever the data. The public
names are those of ``knowflow.question.operators`` (the expressions), ``check`` (types), ``normal`` (equality),
``read_document`` and ``to_data`` (YAML and JSON) and ``in_words`` (English).
"""
