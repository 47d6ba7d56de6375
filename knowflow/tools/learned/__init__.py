"""Learned models: an ONNX file and its card, run over scenes by tiles; and classifiers trained on labelled polygons."""
