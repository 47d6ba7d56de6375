"""What names of files say: facts of their words, in any order and style, and nothing that is not there."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from knowflow.ground.errors import DocumentError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import forget
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import convert
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import check_grammars, check_products, inventory_of_names, name_facts
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.inventory.evidence import weigh
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.meanings import Layer, Meaning, documents
from knowflow.reason.inventory.names import layer_facts, read_name
from knowflow.reason.inventory.tokens import Word, plain, tokens_of

# beside these, the examples of every product are checked by check_products
NAMES: dict[str, dict[str, Any]] = {
    "ESA_WC_2020_v100_N45E012_clip.tif": {"quantity": "land_cover_class"},  # a version, and no wind at 100 m
    "hansen_datamask_50N_010E.tif": {"quantity": "class_label"},
    "batimetria_gebco2023.tif": {"quantity": "topobathymetry", "unit": "m"},
    "runoff depth 2017 (mm).tif": {"quantity": "runoff", "unit": "mm"},
    "clay_B11_B12_20210321.tif": {"quantity": None},  # a ratio of bands
    "CI red edge tea 14 Jan 2020.tif": {"quantity": "cire"},
    "DSM 2020-07-26 2020-11-16.tif": {"quantity": None},  # what changed between them, or the heights
    "grid_x.tif": {"quantity": None},
    "NO2 2018 \N{MICRO SIGN}g m3.tif": {"quantity": "no2_concentration", "unit": "ug m-3"},
    "glob_rad_2022_01_15_Wh_m2.tif": {"quantity": "downward_shortwave_energy", "unit": "Wh m-2"},
    "GHI_2022_kWh.tif": {"quantity": "downward_shortwave_energy", "unit": "kWh m-2"},
    "GHI_2022.tif": {"quantity": None},  # a power, or the energy of a span
    "NO2_2021.tif": {"quantity": None},  # in a column of air, or at the ground
    "upstream_km2.tif": {"unit": None},
    "DEM_1999_sigma.tif": {"quantity": None},  # its uncertainty, and no backscatter
    "burndate_uncert_jun2017.tif": {"quantity": "uncertainty", "unit": "day"},
    "230923_minus_230911_unw.tif": {"quantity": "unwrapped_phase"},  # the pair of an interferogram
    "palsar2/S01E012_2018_HV_gamma0_dB.tif": {"quantity": "gamma0_db", "polarisation": "HV"},
    "Rrs665_19-6-2021.tif": {"datetime": "2021-06-19"},
    "dhdt_err_2010.tif": {"quantity": "uncertainty"},
    "DN2008.tif": {"quantity": None},  # numbers as they are stored, of anything
    "water_depth_T10.tif": {"quantity": None},  # of a flood, of a lake
    "2021/14lug/NIR.tif": {"datetime": "2021-07-14", "band": "nir"},
    "VNL_2013_average_masked_c202205302300.tif": {"datetime": "2013-01-01"},  # it was made in 2022
    "MOD11A1_LST_Day_1km_2022205061234.tif": {"datetime": None},  # when it was made
    "GFC2023_treecover2000_clip.tif": {"datetime": "2000-01-01"},  # of the edition of 2023
    "grids_germany_monthly_air_temp_mean_200308.tif": {"datetime": "2003-08-01"},
    "wapor_3_l1_aeti_d_2020_01_d3.tif": {"span": ("2020-01-21", "2020-01-31")},
    "WaPOR_AETI_M_2021-06.tif": {"unit": "mm"},  # of a month, not in metres
    "20200607_VVP012_77B0_disp.tif": {"bands": None},
    "Yellowstone National Park_sur_refl_b02_2021-06-10.tif": {"bands": ("nir",), "region": "Yellowstone National Park"},
    "Northeast Plain of China _NDVI_2021-04-07.tif": {"quantity": "ndvi", "region": "Northeast Plain of China"},
    "Los_Angeles_2015_built_volume_nres_2015-01-01.tif": {"quantity": "building_volume", "unit": "m3"},
    "Cape Town-South Africa_sur_refl_b07_2024-11-08.tif": {"bands": ("swir22",), "sensor": "modis"},
    "somerville_SR_B3_2018-01-10.tif": {"quantity": "surface_bidirectional_reflectance", "bands": None},
    "Thailand_MaxFRP_2018-01-01.tif": {"quantity": "fire_radiative_power", "unit": "MW"},
    "2023_07_01_0030_BT_31_Night.tif": {"daynight": "night", "datetime": "2023-07-01T00:30:00"},
    "site_DTM_05m_SLOPE.tif": {"quantity": "slope"},
    "chirps_anomaly_FMAM2019_vs_1981-2010_mm.tif": {"span": ("2019-02-01", "2019-05-31")},
    "tdmean_2020-06.tif": {"quantity": "dew_point_temperature"},
    "tubbs_dnbr6.tif": {"quantity": "class_label"},
    "luchtfoto2021.tif": {"datetime": "2021-01-01"},
    "TUR_Nechad2009.tif": {"datetime": None},
    "soil_ECa_mS_m.tif": {"quantity": None},
    "ifg/190706-190718_cc.tif": {"quantity": None},
    "geneva_ndwi_2022-08-01.tif": {"quantity": "ndwi", "unit": "1"},
    "CLM_2015-07-11T100008.tif": {"quantity": "cloud_mask", "datetime": "2015-07-11T10:00:08"},
    "T33TVM_20160601T100031_B04.jp2": {"level": "L1C", "quantity": "toa_bidirectional_reflectance", "scale": None},
    "LC08_L1TP_191028_20220601_20220610_02_T1_QA_PIXEL.TIF": {"quantity": "qa_bits", "nodata": 1},
    "LE07_L1TP_191028_20080601_20200610_02_T1_B6_VCID_1.TIF": {"bands": ("lwir",), "quantity": "digital_number"},
    "MOD13Q1.061__250m_16_days_NDVI_doy2022145_aid0001.tif": {"sensor": "modis", "quantity": "ndvi"},
    "worldcover.tif": {"quantity": "land_cover_class"},
    "LC08_sr_ndvi_20180601.tif": {"quantity": "ndvi"},
    "AST_08_00308152019102233_20230301_SurfaceKineticTemperature.tif": {"datetime": "2019-08-15T10:22:33"},
    "VENUS-XS_20190301-104512-000_L2A_ARM_C_V2-2_SRE_B7.tif": {"sensor": "venus", "bands": ("red",)},
    "CBERS_4A_MUX_20220301_210_130_L4_BAND8.tif": {"bands": ("nir",), "quantity": "digital_number"},
    "SND_030_060_EV_N_P_AU_TRN_N_20210902.tif": {"quantity": "sand_content", "unit": "%", "datetime": None},
    "WAPOR-3.L1-RSM-D.2022-05-D3.tif": {"quantity": "soil_water_index"},
    "rel_soil_moisture_2022.tif": {"quantity": "soil_water_index"},
    "soil_moisture_2022.tif": {"quantity": "soil_moisture"},
    # what somebody reckons of a layer is not that
    "population_exposure_2022.tif": {"quantity": None},
    "ndvi_stdabw_2020.tif": {"quantity": None},
    "AETI_over_PET_2021.tif": {"quantity": "ratio"},
    "dNDMI_2019_2022.tif": {"quantity": "difference"},
    "onset_of_rain_DOY_2021.tif": {"quantity": "day_of_year"},
    "lst_temp_output.tif": {"quantity": "surface_temperature"},
    "sea_temp_out.tif": {"quantity": "sea_surface_temperature"},
    "LST_doy2021205.tif": {"quantity": "surface_temperature", "datetime": "2021-07-24"},
    "AETI_sum_May2021_mm.tif": {"quantity": "evapotranspiration", "unit": "mm", "statistic": "sum"},
    "ndvi_peak_2020.tif": {"quantity": "ndvi", "statistic": "maximum"},
    # a unit of another dimension is that of another quantity, or of none
    "LST_error_25-07-2023.tif": {"quantity": "uncertainty", "unit": "K"},
    "TSM_ene_2019.tif": {"quantity": None},  # temperature of the sea in Spanish, or what the water carries
    "no2_ug_m3_2021.tif": {"quantity": "no2_concentration"},
    "solar_radiation_kwh_m2.tif": {"quantity": "downward_shortwave_energy", "unit": "kWh m-2"},
    "rain_mm_h.tif": {"quantity": "precipitation_rate", "unit": "mm h-1"},
    "tree cover 2020 (%).tif": {"quantity": "tree_cover_fraction", "unit": "%"},
    "vpd_max_2020_hPa.tif": {"unit": "hPa", "datetime": "2020-01-01"},
    "cropland_mask_2019.tif": {"quantity": "mask"},
    "NDSI_2016_0820.tif": {"datetime": "2016-08-20"},
    "corr_230116-230128.tif": {"span": ("2023-01-16", "2023-01-28")},
    "MCD19A2_Optical_Depth_055_2023-01.tif": {"datetime": "2023-01-01"},
    "L9_toaref_B4_20230801.tif": {"quantity": "toa_bidirectional_reflectance", "bands": ("red",)},
    "gama0_VH_20230801.tif": {"quantity": "gamma0", "polarisation": "VH"},
    "VNL_2021_cloudfree_obs.tif": {"quantity": "count", "unit": "1"},
    "water_temperature_20230801.tif": {"quantity": None},
    "lake_water_temperature_20230801.tif": {"quantity": "surface_temperature"},
    "TDM1_DEM__30_N51E012_AMP.tif": {"quantity": "radar_amplitude"},
    "bare_soil_index_20230801.tif": {"quantity": "bi"},
    "Delta_VV_2022-01-01.tif": {"polarisation": "VV", "bands": ("vv",), "quantity": None},
    "folder/with spaces/Paris_avg_rad_2015-09-01.tif": {"quantity": "night_lights", "region": "Paris"},
    "Paris_2015-13-45_LST.tif": {"datetime": None},
    "Paris_2015-02-30_LST.tif": {"datetime": None},
    "lst_anomaly_2020-01-01.tif": {"quantity": "temperature_difference"},
    "water_mask.tif": {"quantity": "water_mask"},
    "NDVI_mask_2020-01-01.tif": {"quantity": None},
    "MSI_2020-01-01.tif": {"quantity": None},
    "random.tif": {"quantity": None, "datetime": None, "layer": "random"},
    "B.tif": {"quantity": None},
    "R_NDVI_2022-06-01.tif": {"quantity": "ndvi"},
    "R_NDVI_2022.tif": {"quantity": None},
    # the number of a name is no year
    "SPI_2020.tif": {"quantity": "standardized_precipitation_index", "datetime": "2020-01-01"},
    "SPEI_03_2019-05.tif": {
        "quantity": "standardized_precipitation_evapotranspiration_index",
        "datetime": "2019-05-01",
    },
    "dgm_2012.tif": {"quantity": "elevation", "datetime": "2012-01-01"},
    # a letter at a date is no unit, one that stands apart is
    "m201907_modisSSEBopETactual.tif": {"quantity": "evapotranspiration", "unit": None},
    "t2m_July2022_C.tif": {"quantity": "air_temperature", "unit": "degC"},
    "dgm10_TWI.tif": {"quantity": "topographic_wetness_index"},
    "dgm10_HAND_m.tif": {"quantity": None},
    "isla de calor (LST ciudad menos rural, K) 13jul2022.tif": {"quantity": "temperature_difference", "unit": "K"},
    # of a part of a month nobody knows the days
    "GPP end of Dec 2019.tif": {"quantity": "gross_primary_production", "datetime": None, "span": None},
    "ndvi_end_2020-05-31.tif": {"datetime": "2020-05-31"},
    # counts, or what they are of
    "harmonized_ntl_dn_2010.tif": {"quantity": None, "datetime": "2010-01-01"},
    "A_NDVI_2022-06-01.tif": {"quantity": "ndvi"},
    "d_NBR_2022.tif": {"quantity": "dnbr"},
    "L2R_rhos_2022.tif": {"quantity": "surface_bidirectional_reflectance"},
    # what was made of a layer
    "ndvi_zscore_March2022_vs_2001-2020.tif": {
        "quantity": "standardized_anomaly",
        "unit": "1",
        "datetime": "2022-03-01",
    },
    "LST_diff_2022_2018.tif": {"quantity": "temperature_difference", "unit": "K"},
    "DTM_difference_m.tif": {"quantity": "elevation_difference"},
    "difference NO2 minus reference mol_m2.tif": {"quantity": "difference", "unit": "mol m-2"},
    "ndvi_2001-2019_mk_pvalue.tif": {"quantity": "p_value", "unit": "1"},
    "LAI_trend_2001-2020_per_year.tif": {"quantity": "trend_per_year", "unit": "year-1"},
    "LST_QC_2020-06-01.tif": {"quantity": "qa_bits", "unit": "1"},
    "ndvi_classes_2020.tif": {"quantity": "class_label"},
    "land_cover_classified_2020.tif": {"quantity": "land_cover_class"},
    "classes_2020.tif": {"quantity": None},
    "severity_classes_2020.tif": {"quantity": "class_label"},
    "chm_dsm_minus_dtm.tif": {"quantity": "canopy_height"},
    "dh_cop_minus_srtm.tif": {"quantity": "elevation_difference"},
    "sst_anomaly_July2021_1982-2011.tif": {"quantity": "temperature_difference", "datetime": "2021-07-01"},
    "ndvi_anomaly_2021.tif": {"quantity": None},
    "distance_to_forest_edge_2020_m.tif": {"quantity": "distance", "unit": "m"},
    "number_of_observations_2020.tif": {"quantity": "count"},
    "lst_diff_2018-07-01_2019-07-01.tif": {"datetime": None, "span": ("2018-07-01", "2019-07-01")},
    "S1_RVI_2020-06-01.tif": {"quantity": "dprvivv"},
    "RVI_2020-06-01.tif": {"quantity": None},
    "RUSLE2015_soil_loss_2016.tif": {"datetime": "2016-01-01"},
    "ExG_20230418.tif": {"quantity": "exg"},
    "worldpop_density_2020_1km.tif": {"quantity": "population_density", "unit": "km-2"},
    "people_2020_per_km2.tif": {"quantity": "population_density", "unit": "km-2"},
    "t2m_seasons_2019.tif": {"datetime": None, "span": ("2019-01-01", "2019-12-31")},
    "ssrd_Wm-2_July2022.tif": {"quantity": "downward_shortwave_flux", "unit": "W m-2"},
    "TPI_300m_2020_m.tif": {"unit": "m", "datetime": "2020-01-01"},
    # words of the field, and of other languages
    "Oberflächentemperatur_02.08.2018_Celsius.tif": {"quantity": "surface_temperature", "unit": "degC", "region": None},
    "Gelaendemodell_1m.tif": {"quantity": "elevation", "unit": "m", "region": None},
    "precipitação_março2020.tif": {"quantity": "precipitation", "datetime": "2020-03-01"},
    "flow_acc_d8.tif": {"quantity": "flow_accumulation"},
    "total_suspended_solids_2020.tif": {"quantity": "suspended_matter"},
    "fractional-vegetation-cover_2020.tif": {"quantity": "vegetation_fraction"},
    "TCI_2020.tif": {"quantity": None},
    "LC08_20200805_ST_clip.tif": {"quantity": "surface_temperature"},
    "LT05_19jul1990_sr_blue.tif": {"quantity": "surface_bidirectional_reflectance", "bands": ("blue",)},
    "Los_Angeles_thermal_degC.tif": {"quantity": "surface_temperature", "unit": "degC"},
    # units
    "dtm_slope_pct.tif": {"quantity": "slope_percent", "unit": "%"},
    "NO2_umol_per_m2_03.2019.tif": {"quantity": "no2_column", "unit": "umol m-2", "datetime": "2019-03-01"},
    "snow_fraction_prozent.tif": {"quantity": "snow_fraction", "unit": "%"},
    "canopy_height_cm.tif": {"quantity": "canopy_height", "unit": "cm"},
    "ndvi_kelvin.tif": {"quantity": "ndvi", "unit": "1"},
    # in the order of other people
    "NDVI_2016-06-15 (1).tif": {"quantity": "ndvi", "datetime": "2016-06-15", "region": None},
    "ndvi_20160615_final.tif": {"quantity": "ndvi", "datetime": "2016-06-15", "region": None, "layer": "ndvi"},
    "NDVI_2016-06-15_cloudfree.tif": {"quantity": "ndvi", "datetime": "2016-06-15", "region": None},
    "dem_25m.tif": {"quantity": "elevation", "region": None},
    "DEM_30m_utm33.tif": {"quantity": "elevation", "region": None},
    "dtm_1m_v2.tif": {"quantity": "elevation", "region": None},
    "ndvi_10m.tif": {"quantity": "ndvi", "region": None},
    "NDVImax_2018.tif": {"quantity": "ndvi", "statistic": "maximum", "datetime": "2018-01-01"},
    "max_ndvi_2018-07.tif": {"quantity": "ndvi", "statistic": "maximum", "datetime": "2018-07-01"},
    "LST_celsius_2018.tif": {"quantity": "surface_temperature", "unit": "degC"},
    "Sigma0_VH_db.tif": {"quantity": "sigma0_db", "unit": "dB", "bands": ("vh",), "polarisation": "VH"},
    "VV_20180929_asc.tif": {"bands": ("vv",), "orbit": "ascending", "datetime": "2018-09-29"},
    "lst_night_2018273.tif": {"quantity": "surface_temperature", "daynight": "night", "datetime": "2018-09-30"},
    "yellow_river_2018_lst.tif": {"quantity": "surface_temperature", "region": "yellow_river", "bands": None},
    "S2_B2_B3_B4_B8_2018.tif": {"bands": ("blue", "green", "red", "nir"), "sensor": "sentinel-2"},
    "slope_dem.tif": {"quantity": "slope"},
    "NDVI_JJA_2019.tif": {"quantity": "ndvi", "datetime": "2019-07-16", "span": ("2019-06-01", "2019-08-31")},
    "NDVI_July_clip_2019.tif": {"datetime": "2019-07-01", "span": ("2019-07-01", "2019-07-31")},
    "NDVI_summer_2019.tif": {"datetime": None},
    "MOD13Q1_NDVI_2019_145.tif": {"quantity": "ndvi", "datetime": "2019-05-25"},
    "modis_ndvi_16day_2019185.tif": {"quantity": "ndvi", "daynight": None, "region": None},
    "red_edge_B5_S2_20190704.tif": {"bands": ("rededge1",), "sensor": "sentinel-2"},
    "LST_L8_20190704_C.tif": {"quantity": "surface_temperature", "unit": "degC"},
    "snow_depth_cm_20190201.tif": {"quantity": "snow_depth", "unit": "cm"},
    "dgm1_clip.tif": {"quantity": "elevation"},
    "dynamicworld_built_prob_2019.tif": {"quantity": "probability"},
    # what was made of a layer is another thing
    "trend_ndvi.tif": {"quantity": None, "unit": None},
    "ndvi_slope_2001_2020.tif": {"quantity": None, "datetime": None},
    "ndvi_sum_2018.tif": {"quantity": None},
    "precip_sum_2018-05.tif": {"quantity": "precipitation"},
    "ndvi_2001-2020.tif": {"quantity": "ndvi", "datetime": None, "span": ("2001-01-01", "2020-12-31")},
    "chirps_anomaly_2020-05.tif": {"quantity": None, "datetime": "2020-05-01"},
    # nothing is inside of a longer word
    "B8E5.tif": {"band": None, "bands": None},
    "random_1SDV_029D1A.tif": {"band": None, "quantity": None},
    # what may be read in two ways
    "red_sea_2018.tif": {"bands": None},
    "03-04-2018_ndvi.tif": {"datetime": None},
    "180930_ndvi.tif": {"datetime": None},
    "ndvi_2018-09-30_made_2019-02-01.tif": {"datetime": None},
}
FOLDERS: dict[str, dict[str, Any]] = {
    "NDVI/2018-09-30.tif": {"quantity": "ndvi", "datetime": "2018-09-30"},
    "NDVI/2018/09/30.tif": {"quantity": "ndvi", "datetime": "2018-09-30"},
    "ndvi/2018/clip_09.tif": {"quantity": "ndvi"},
    "2018-09-30/B04.tif": {"band": "B04", "datetime": "2018-09-30"},
    "sentinel2/L2A/B04_2018-09-30.tif": {"bands": ("red",), "quantity": "surface_bidirectional_reflectance"},
    "ascending/VV_20180929.tif": {"orbit": "ascending"},
    "anomalies/NDVI_2018-09.tif": {"quantity": None},
    "trend_analysis/NDVI_2018-09.tif": {"quantity": "ndvi"},
    "LST/NDVI_2018-09.tif": {"quantity": "ndvi"},
    "2017/NDVI_2018-09.tif": {"datetime": "2018-09-01"},
    "2018/9/S2A_33TVM_20180930/NDVI.tif": {"datetime": "2018-09-30"},
    "2018-08-05/NDVI_05-08-2018.tif": {"datetime": "2018-08-05"},
    "2018/NDVI_25Oct.tif": {"datetime": "2018-10-25"},
    "2018/NDVI_JunAug.tif": {"datetime": "2018-07-16"},
    "tp_utm33_night_2018.tif": {"quantity": "precipitation", "daynight": "night"},
    # days that tell no year, in the year of the name or of a folder
    "flood_july2021/VV_15july.tif": {"datetime": "2021-07-15"},
    "burst/insar_2021/coherence_14Sep-26Sep.tif": {"span": ("2021-09-14", "2021-09-26")},
    "dnbr_Jul31-Aug16_2021.tif": {"span": ("2021-07-31", "2021-08-16")},
    "ndvi_Jul18.tif": {"datetime": "2018-07-01"},
    # folders with the published name of a product have its date, and not that of its processing
    "LC08_L2SP_191029_20220714_20220716_02_T1/SR_B2.TIF": {"datetime": "2022-07-14", "bands": ("blue",)},
    "S2B_MSIL2A_20230614T001109_N0509_R073_T55KEA_20230614T015201.SAFE/QI_DATA/MSK_CLDPRB_20m.tif": {
        "datetime": "2023-06-14T00:11:09"
    },
    # what is made of two dates is of the time between them, and of no years that it is compared with
    "dod_20221011_minus_20220309.tif": {"span": ("2022-03-09", "2022-10-11")},
    "dh_2019_minus_2000.tif": {"span": ("2000-01-01", "2019-12-31")},
    "SST_anomaly_July2021_1982-2011.tif": {"datetime": "2021-07-01"},
    "subset_S3A_OL_1_EFR____20200715T093524_20200715T093824_20200716T134500_0179_C2RCC_conc_chl.tif": {
        "datetime": "2020-07-15T09:35:24"
    },
    # a trend is told in the unit of its layer, in the length of time
    "lst_trend_K_per_decade_2001-2020.tif": {"quantity": "trend_per_decade", "unit": "K decade-1"},
    "trend_precip_mm_par_an_1981-2020.tif": {"quantity": "trend_per_year", "unit": "mm year-1"},
    "mndwi_sen_por_decada.tif": {"quantity": "trend_per_decade", "unit": "decade-1"},
    "NDVI_change_percent_2020.tif": {"quantity": "relative_change", "unit": "%"},
    "no2_north_vs_south_perc.tif": {"quantity": "relative_change", "unit": "%"},
    # two words that are one layer
    "wind_10m_dir_20220720.tif": {"quantity": "wind_direction"},
    "relief_v4_bathy_topo.tif": {"quantity": "topobathymetry"},
    "SIT_SMOS_20200315.tif": {"quantity": "sea_ice_thickness"},
    "wave_mean_direction_20180115.tif": {"quantity": "wave_direction"},
    "B10_BT_kelvin_20211209.tif": {"quantity": "toa_brightness_temperature", "bands": ("lwir11",)},
    "JRC_TMF_AnnualChange_v1_2021_SAM.tif": {"datetime": "2021-01-01"},
}
OPEN: dict[str, tuple[str, set[Any]]] = {
    "03-04-2018_ndvi.tif": ("datetime", {"2018-04-03", "2018-03-04"}),
    "ndvi_201211.tif": ("datetime", {"2012-11-01", "2020-12-11"}),
    "180930_ndvi.tif": ("datetime", {"2018-09-30"}),
    "2018_273_ndvi.tif": ("datetime", {"2018-09-30", "2018-01-01"}),
    "red_sea_2018.tif": ("band", {"red"}),
    "temp_2019-07-15.tif": (
        "quantity",
        {"air_temperature", "surface_temperature", "sea_surface_temperature", "soil_temperature"},
    ),
    "sm_2019_07_15.tif": ("quantity", {"soil_moisture"}),
    "lst_ndvi_2018.tif": ("quantity", {"ndvi", "surface_temperature"}),
    "ndsi_snow_depth_2018.tif": ("quantity", {"ndsi", "snow_depth"}),
    "sst_2018_09.tif": ("unit", {"K", "degC"}),
    "ndvi_130221.tif": ("datetime", {"2013-02-21", "2021-02-13"}),
    "rain02_2022.tif": ("datetime", {"2022-02-01", "2022-01-01"}),
}


def facts_of(name: str, dtype: str | None = None) -> Facts:
    folders, _, file = name.rpartition("/")
    return with_band_facts(name_facts(file, dtype, folders=folders).facts)


@pytest.mark.parametrize("name", [*NAMES, *FOLDERS])
def test_a_name_says(name: str) -> None:
    found, wanted = facts_of(name), {**NAMES, **FOLDERS}[name]
    assert {fact: found.value(fact) for fact in wanted} == wanted


def test_a_month_before_two_digits_may_be_a_day_of_the_year_of_the_other_names() -> None:
    alone = inventory_of_names(["ndvi_Apr12.tif"]).artifacts[0]
    assert alone.fact("datetime") == "2012-04-01"
    listed = inventory_of_names(["mask_apr12_snow.tif", "ndvi_20210405.tif", "ndvi_20210412.tif"])
    found = {one.path: one.fact("datetime") for one in listed.artifacts}
    assert found["mask_apr12_snow.tif"] in (None, "2021-04-12")


def test_a_word_of_products_that_is_told_in_another_unit_is_not_assumed() -> None:
    for name in ("20210908-20210914_vertical_m.tif", "x_vertical_K_2020.tif"):
        assert not [clue for clue in name_facts(name, "float32").clues if clue.fact == "quantity" and clue.weight > 0.5]


@pytest.mark.parametrize("name", OPEN)
def test_what_may_be_read_in_several_ways_stays_open_with_all_of_them(name: str) -> None:
    fact, values = OPEN[name]
    read = name_facts(name)
    assert fact not in read.facts
    assert {clue.value for clue in read.clues if clue.fact == fact} == values
    assert all(clue.weight < 0.5 for clue in read.clues)


LAYERS = {
    "ndvi": "ndvi",
    "dem": "elevation",
    "LST": "surface_temperature",
    "precip": "precipitation",
    "SST": "sea_surface_temperature",
}
STATED: dict[str, dict[str, Any]] = {
    "date": {"2018-09-30": "2018-09-30", "20180930": "2018-09-30", "30Sep2018": "2018-09-30", "A2018273": "2018-09-30"},
    "statistic": {"mean": "mean", "max": "maximum", "Median": "median", "p90": "p90"},
    "orbit": {"asc": "ascending", "DESC": "descending"},
    "daynight": {"night": "night", "Day": "day"},
    "region": {"T33TVM": "33TVM", "h18v04": "h18v04", "N45E012": "N45E012"},
}
MARKS = ["copy", "final", "clip", "v2", "10m", "utm33", "cog", "(1)", "mosaic", "qwertz"]
styles = st.sampled_from([str, str.lower, str.upper])


@cache
def made_words() -> dict[str, str]:
    """The packaged words of derivation, and what they make."""
    (words,) = (document.data for document in documents() if "derived" in document.data)
    return {word: kind for kind, listed in words["derived"].items() for word in listed if "#" not in word}


def other_words() -> list[tuple[str, str]]:
    """The packaged words for layers, each with the name that it stands for; not those of questions alone, for what is
    computed and no name of a layer."""
    told = [document.data["also"] for document in documents() if "also" in document.data]
    layers = {key for key, word in load_lore().vocabulary.items() if word.kind == "layer"}
    known = [(name, one) for words in told for name, listed in words.items() if plain(name) in layers for one in listed]
    return [(name, str(one).replace("#", "5")) for name, one in known if not str(one)[-4:].isdigit()]  # tells a year


@st.composite
def made_names(draw: st.DrawFn) -> tuple[list[str], dict[str, Any]]:
    """Tokens in any order, and the facts that they were made of."""
    layer = draw(st.sampled_from(sorted(LAYERS)))
    facts = {"quantity": LAYERS[layer]}
    tokens = [draw(styles)(layer)]
    for fact in draw(st.sets(st.sampled_from(sorted(STATED)))):
        text = draw(st.sampled_from(sorted(STATED[fact])))
        tokens.append(text)
        facts["datetime" if fact == "date" else fact] = STATED[fact][text]
    return draw(st.permutations(tokens)), facts


@given(
    st.sampled_from(sorted(spectral_indices())), st.sampled_from("abcdefghijklmnopqrstuvwxyz"), st.sampled_from("_-. ")
)
def test_a_letter_that_stands_apart_is_no_part_of_an_index(index: str, letter: str, separator: str) -> None:
    plain, marked = (facts_of(f"{name}_2022-06-01.tif") for name in (index, f"{letter}{separator}{index}"))
    told = (
        None,
        "dnbr" if (letter, index.upper()) == ("d", "NBR") else plain.value("quantity"),
    )  # the one authored apart
    assert marked.value("quantity") in told


@given(
    st.sampled_from(sorted(LAYERS)),
    st.sampled_from(["d", "r", "p", "z"]),
    st.sampled_from("_-. "),
)
def test_what_stands_before_a_layer_may_make_another_thing_of_it(layer: str, before: str, separator: str) -> None:
    found = name_facts(f"{before}{separator}{layer}_2022.tif")
    assert found.facts.value("quantity") is None
    offered = [clue.value for clue in found.clues if clue.fact == "quantity"]
    assert LAYERS[layer] in offered
    assert len(offered) > 1


@given(st.integers(1950, 2100), st.integers(1, 60), st.sampled_from("-_"))
def test_years_far_ahead_are_ends_of_spans_and_nothing_else(first: int, years: int, separator: str) -> None:
    last = min(first + years, 2100)
    span = f"{first}-01-01", f"{last}-12-31"
    assert facts_of(f"tas_{first}{separator}{last}.tif").value("span") == (span if first < last else None)
    alone = facts_of(f"tas_{last}.tif")
    assert alone.value("datetime") == (f"{last}-01-01" if last < 2040 else None)
    assert facts_of(f"tas_{last}_{last}.tif").value("datetime") == alone.value("datetime")


def test_a_place_that_is_called_by_such_a_word_is_a_place() -> None:
    assert facts_of("mekong_delta_ndvi_2022.tif").value("quantity") == "ndvi"


@given(made_names(), st.sampled_from("_-. "))
def test_tokens_in_any_order_say_what_they_were_made_of(made: tuple[list[str], dict[str, Any]], separator: str) -> None:
    tokens, facts = made
    found = facts_of(separator.join(tokens) + ".tif")
    assert {fact: found.value(fact) for fact in facts} == facts


@given(made_names(), st.sampled_from(MARKS), st.integers(0, 6), st.sampled_from("_-"))
def test_marks_of_copies_versions_and_unknown_words_change_nothing_else(
    made: tuple[list[str], dict[str, Any]], mark: str, place: int, separator: str
) -> None:
    tokens, _ = made
    with_mark = [*tokens[:place], mark, *tokens[place:]]
    one, other = (facts_of(separator.join(listed) + ".tif") for listed in (tokens, with_mark))
    assert {name: one.value(name) for name in one if name != "region"} == {
        name: other.value(name) for name in other if name != "region"
    }


@given(st.sampled_from(other_words()), styles, st.sampled_from("_-. "))
def test_another_word_for_a_layer_says_what_the_layer_says(words: tuple[str, str], style: Any, separator: str) -> None:
    one, other = (facts_of(f"{separator.join(style(text).split())}_2020-06-01.tif") for text in words)
    for fact in ("quantity", "datetime", "region", "band"):
        assert one.value(fact) == other.value(fact)


@given(
    st.sampled_from(sorted(LAYERS)),
    # before a date doy says how that is written; the seasonality of rain is known by its product
    st.sampled_from(sorted(made_words().keys() - {"doy", "seasonality"})),
    st.sampled_from("_-. "),
)
def test_what_words_make_of_a_layer_is_no_longer_the_layer(layer: str, word: str, separator: str) -> None:
    said = separator.join([layer, *word.split()])
    found = facts_of(f"{said}_2020-06-01.tif").value("quantity")
    kinds, own = made_words()[word].split("|"), LAYERS[layer]
    special = {f"{quantity_kinds()[own].family}_{kinds[0]}", f"{own}_{kinds[0]}", f"{own}_{word}"} & {*quantity_kinds()}
    if kinds == ["qa_bits", "other"]:  # right behind a layer it is told of the pixels of that
        assert found == "qa_bits"
    elif len(kinds) > 1 or kinds == ["other"]:
        assert found in ({*special, None} if "other" in kinds else special or {None})
    else:
        assert found in (special or {*kinds})


@given(st.text(max_size=40), st.sampled_from(["", "2020-01-01", "20200230", "S2_", "_B04", "LST", "NDVI", ".tif", "/"]))
def test_no_name_is_too_strange(text: str, part: str) -> None:
    found = name_facts(f"{text}_{part}_{text}.tif").facts
    assert all(fact.origin <= Origin.DECLARED for fact in found.values())
    assert found.value("quantity") is None or found.value("quantity") in quantity_kinds()


def test_what_is_packaged_is_valid_and_its_examples_hold() -> None:
    assert [str(problem) for problem in (*check_grammars(), *check_products())] == []
    assert all(known.product.examples for known in load_lore().products.values())


def test_no_product_scales_what_was_saved_as_floats() -> None:
    """Whoever saved a product as floats has applied its scale: of none of its names it is told again."""
    scaled = [
        (name, fact, told)
        for known in load_lore().products.values()
        for name in (example.partition("@")[0] for example in known.product.examples)
        for fact, none in (("scale", 1.0), ("offset", 0.0))
        if (told := name_facts(name, "float32").facts.value(fact)) not in (None, none)
    ]
    assert scaled == []


def test_what_is_usual_but_not_certain_is_assumed() -> None:
    unit = facts_of("Paris_2020-01-01_LST.tif").get("unit")
    assert (unit.value, unit.origin) == ("K", Origin.ASSUMED)
    assert facts_of("Paris_2020-01-01_LST.tif").get("quantity").origin == Origin.DECLARED


@pytest.mark.parametrize(
    ("name", "dtype", "scale", "offset"),
    [
        ("Sea_sur_refl_b01_2020-08-01.tif", "int16", 0.0001, None),
        ("Sea_sur_refl_b01_2020-08-01.tif", "float32", None, None),
        ("Sea_SR_B3_2020-08-01.tif", "uint16", 0.0000275, -0.2),
        ("Sea_SR_B3_2020-08-01.tif", "float64", None, None),
        ("MOD11A1.061_LST_Night_1km_doy2022152_aid0001.tif", "uint16", 0.02, None),
        ("LC08_L2SP_191028_20220601_20220610_02_T1_ST_B10.TIF", "uint16", 0.00341802, 149.0),
        ("T33TVM_20220601T100031_B04_10m.jp2", "uint16", 0.0001, -0.1),
        ("T33TVM_20210601T100031_B04_10m.jp2", "uint16", None, None),
        ("S2_2015-07-11T100008_B04.tif", "uint16", None, None),
        ("S2_2023-07-11T100008_B04.tif", "uint16", None, None),
        ("S2_2015-07-11T100008_B04.tif", "float32", None, None),
    ],
)
def test_scale_and_offset_depend_on_how_the_numbers_are_stored(
    name: str, dtype: str, scale: float | None, offset: float | None
) -> None:
    found = facts_of(name, dtype)
    assert (found.value("scale"), found.value("offset")) == (scale, offset)


def test_a_band_description_says_what_a_layer_says() -> None:
    assert layer_facts("LST_Day_1km", "uint16").facts.value("scale") == 0.02
    assert layer_facts("NDVI").facts.value("quantity") == "ndvi"
    assert not layer_facts("something else").facts


BROKEN = """\
- grammar: one
  title: One
  pattern: '{region}_{stuff}'
  source: here
- layer: two
  title: Two
  names: ['(unclosed', fine]
  facts: {quantity: warmth, unit: bananas, speed: 3, scale: big}
  colour: red
  where:
    - {when: {planet: Mars}, facts: {quantity: ndvi}}
  source: here
- layer: two
  title: Two again
  names: [fine too]
  product: old
  source: here
- layer: three
  title: Three
  source: here
- nothing: here
"""
BROKEN_PRODUCTS = """\
products:
  - product: one
    title: The first
    source: here
  - product: two
    title: The second
    marks: [second]
    names: ['{planet}', '(unclosed']
    facts: {quantity: warmth, speed: 3}
    where:
      - {when: {mars: yes}, facts: {quantity: ndvi}}
    layers:
      - {names: ['a|b'], facts: {unit: bananas}}
    source: here
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of knowledge, with its folders."""
    for folder in ("grammars", "products"):
        (tmp_path / "config" / "pkb" / folder).mkdir(parents=True)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path / "config"))
    forget()
    yield tmp_path / "config" / "pkb"
    forget()


def test_every_problem_of_layers_is_reported_with_its_line(own: Path) -> None:
    path = own / "grammars" / "mine.yaml"
    path.write_text(BROKEN)
    found = {(problem.line, problem.code) for problem in check_grammars() if problem.file == str(path)}
    assert found == {
        (1, "moved"),
        (7, "bad_name"),
        (8, "unknown_quantity"),
        (8, "unknown_unit"),
        (8, "unknown_fact"),
        (8, "wrong_type"),
        (9, "unknown_key"),
        (11, "unknown_name"),
        (13, "duplicate_name"),
        (16, "unknown_key"),
        (18, "missing_field"),
        (21, "wrong_type"),
    }
    with pytest.raises(DocumentError) as error:
        load_lore()
    assert len(error.value.problems) >= 8


def test_every_problem_of_products_is_reported_with_its_line(own: Path) -> None:
    path = own / "products" / "mine.yaml"
    path.write_text(BROKEN_PRODUCTS)
    found = {(problem.line, problem.code) for problem in check_products() if problem.file == str(path)}
    assert found == {
        (2, "missing_key"),
        (8, "unknown_macro"),
        (8, "bad_pattern"),
        (9, "unknown_quantity"),
        (9, "unknown_fact"),
        (11, "unknown_name"),
        (13, "bad_name"),
        (13, "unknown_unit"),
    }


def test_an_example_that_does_not_hold_is_a_problem(own: Path) -> None:
    (own / "products" / "mine.yaml").write_text(
        "products:\n  - product: mine\n    title: Mine\n    marks: [minimine]\n    facts: {quantity: ndvi}\n"
        "    source: here\n    examples:\n      minimine_2020-01-01.tif: {quantity: lai}\n"
    )
    (problem,) = check_products()
    assert (problem.code, problem.line) == ("example", 8)


def test_a_users_product_hides_the_packaged_one_of_its_name(own: Path) -> None:
    (own / "products" / "mine.yaml").write_text(
        "products:\n  - product: chirps\n    title: My own\n    marks: [chirps]\n    facts: {quantity: evi}\n"
        "    source: here\n"
    )
    assert facts_of("chirps_2020-01-01.tif").value("quantity") == "evi"


def test_a_users_layer_is_read_before_the_packaged_ones(own: Path) -> None:
    (own / "grammars" / "mine.yaml").write_text(
        "- layer: mine\n  title: Mine\n  names: [NDVI]\n  facts: {quantity: evi}\n  source: here\n"
    )
    assert facts_of("NDVI_2020-01-01.tif").value("quantity") == "evi"


def test_names_of_layers_of_a_product_count_in_its_own_names_only() -> None:
    words = {"lst": Word("layer", "LST"), "day": Word("daynight", "day"), "daylst": Word("hint", "daylst")}
    layer = Layer("Day_LST", "Day_LST", Meaning("own", "Of its own"))
    assert [token.kind for token in tokens_of("Day_LST", words)] == ["daynight", "layer"]
    assert [token.entry for token in tokens_of("Day_LST", words, {"daylst": layer})] == [layer]


_AMOUNTS = ("cg", "dg", "g", "hg", "kg", "mg", "ug", "mol", "cmol", "mmol", "umol")
_PER = {"kg": "kg-1", "ha": "ha-1", "m2": "m-2", "m3": "m-3", "cm3": "cm-3", "dm3": "dm-3", "km2": "km-2"}


@given(st.sampled_from(_AMOUNTS), st.sampled_from(sorted(_PER)), st.sampled_from(["_", " ", "_per_"]))
def test_an_amount_per_mass_volume_or_area_is_a_unit(amount: str, below: str, between: str) -> None:
    assume((amount, below) not in [("dg", "m2"), ("dg", "m3"), ("mg", "ha")])  # a terrain model of 2 m, and megagrams
    tokens = read_name(f"site_{amount}{between}{below}.tif", None, load_lore()).tokens
    (unit,) = (token.value for token in tokens if token.kind == "unit")
    assert unit == f"{amount} {_PER[below]}" or convert(1.0, unit, f"{amount} {_PER[below]}") == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "dtype", "unit", "scale"),
    [
        ("soilgrids_soc_0-5cm_mean_dg_kg", "int16", "g kg-1", 0.1),  # of the stored numbers
        ("soilgrids_soc_0-5cm_mean_g_kg", "int16", "g kg-1", 0.1),
        ("soilgrids_soc_0-5cm_mean_mg_kg", "int16", "mg kg-1", None),  # nobody knows how these are packed
        ("soilgrids_soc_0-5cm_mean_mg_kg", "float32", "mg kg-1", None),
        ("VPD_kPa_20180712", "float32", "kPa", None),
        ("MSLP hPa 2018-07-12", "float32", "hPa", None),
    ],
)
def test_the_unit_of_a_name_goes_before_those_of_products_and_kinds(
    name: str, dtype: str, unit: str, scale: float | None
) -> None:
    facts = name_facts(f"{name}.tif", dtype).facts
    assert (facts.value("unit"), facts.value("scale")) == (unit, scale)


def _probabilities() -> list[tuple[str, str]]:
    """Words for what is or is not, with the probability of it."""
    kinds = quantity_kinds()
    likely = (
        (kind, f"{kind.name.removesuffix('_mask')}_probability") for kind in kinds.values() if kind.family == "mask"
    )
    return [(word, named) for kind, named in likely if named in kinds for word in kind.words]


@given(
    st.sampled_from(_probabilities()), st.sampled_from(["prob", "probability", "probabilidad", "wahrscheinlichkeit"])
)
def test_the_words_beside_say_of_what_a_probability_is(told: tuple[str, str], likely: str) -> None:
    word, named = told
    for name in (f"{word}_{likely}", f"{likely}-{word}"):
        assert facts_of(f"{name}_20220719.tif").value("quantity") == named


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("NDVI_signif_class_2001_2020", "significance_class"),
        ("differenz_fabdem-copdem_m", "elevation_difference"),
        ("fabdem minus copdem", "elevation_difference"),
        ("nubes_prob_20220719", "cloud_probability"),
        ("LST_class_2020", "class_label"),
        ("aral_L8_ST_DN_20210710", "surface_temperature"),
        ("20190208_051422_1003_3B_AnalyticMS_DN_clip", None),
        ("crops_prob_2020", "probability"),
    ],
)
def test_a_general_word_is_what_the_others_make_of_it(name: str, quantity: str) -> None:
    assert facts_of(f"{name}.tif").value("quantity") == quantity


@pytest.mark.parametrize(
    ("name", "band", "common"),
    [
        ("B08_nir", "B08", "nir"),
        ("site_nir_B8A_20m", "B8A", "nir08"),
        ("B12 swir2 2018-09-28", "B12", "swir22"),
        ("B04_rosso", "B04", "red"),
        ("rojo_B04", "B04", "red"),
        ("B5_red", None, None),  # no sensor has it
        ("red_nir", None, None),
    ],
)
def test_a_band_told_twice_is_one_band(name: str, band: str | None, common: str | None) -> None:
    facts = name_facts(f"{name}.tif").facts
    assert facts.value("band") == band
    assert (facts.value("bands") == (common,)) == (common is not None)


def test_an_index_is_no_band_of_the_product_that_it_is_made_of() -> None:
    facts = name_facts("RFDI 2020 (HH-HV)-(HH+HV).tif", folders="ALOS2_2020").facts
    assert (facts.value("quantity"), facts.value("band")) == ("rfdi", None)


@given(year=st.integers(2009, 2023), dekad=st.integers(1, 36))
def test_dekads_counted_by_year_or_by_month_are_the_same_days(year: int, dekad: int) -> None:
    month, place = divmod(dekad - 1, 3)
    first = date(year, month + 1, 10 * place + 1)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    last = first + timedelta(days=9) if place < 2 else following - timedelta(days=1)
    expected = (first.isoformat(), last.isoformat())
    named = f"L2_AETI_{year % 100:02d}{dekad:02d}.tif", f"dekads/chirps-v2.0.{year}.{month + 1:02d}.{place + 1}.tif"
    for name in named:
        folder, _, file = name.rpartition("/")
        assert name_facts(file, folders=folder).facts.value("span") == expected


def test_what_may_be_a_pentad_or_a_dekad_stays_open_with_both() -> None:
    read = name_facts("chirps-v2.0.2022.04.2.tif")
    assert read.facts.value("datetime") is None
    assert {clue.value for clue in read.clues if clue.fact == "datetime"} == {"2022-04-15", "2022-04-08"}


def test_days_of_a_product_are_those_of_its_edition() -> None:
    facts = name_facts("occurrence_0E_50N_v1_3_2020.tif").facts
    assert (facts.value("span"), facts.value("datetime")) == (("1984-03-16", "2020-12-31"), None)
    assert name_facts("S09W063_20_sl_HH_F02DAR.tif").facts.value("datetime") == "2020-01-01"
    assert "span" not in name_facts("occurrence_0E_50N.tif").facts


def test_a_folder_and_a_name_tell_a_product_together() -> None:
    read = name_facts("S30 B04 12.07.2022.tif", "int16", folders="02_HLS")
    assert (read.product, read.facts.value("scale")) == ("hls_sentinel", 0.0001)
    assert not name_facts("S30 B04 12.07.2022.tif", "int16").product


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("imerg_20150811_mm", "precipitation"),
        ("imerg_aug2015_mm_h", "precipitation_rate"),
        ("imerg_20150811", None),
        ("L8_195_2022_x_K", None),
    ],
)
def test_the_unit_of_a_name_tells_which_layer_of_its_product_it_is(name: str, quantity: str | None) -> None:
    read = name_facts(f"{name}.tif")
    assert weigh((*read.clues,))[0].value("quantity") == quantity


@given(year=st.integers(1982, 2030), week=st.integers(1, 52))
def test_weeks_from_the_first_of_january(year: int, week: int) -> None:
    first = date(year, 1, 1) + timedelta(weeks=week - 1)
    span = name_facts(f"VHP.G04.C07.npp.P{year}{week:03d}.VH.VHI.tif").facts.value("span")
    assert span == (first.isoformat(), (first + timedelta(days=6)).isoformat())


def test_numbers_that_no_guide_confirms_are_assumed(own: Path) -> None:
    (own / "products" / "mine.yaml").write_text(
        "products:\n  - product: mine\n    title: Mine\n    marks: [minimine]\n    source: here\n    layers:\n"
        "      - names: [temp]\n        facts: {quantity: air_temperature, unit: K}\n        confirmed: false\n"
        "        where:\n          - {when: {dtype: int16}, facts: {scale: 0.1}}\n"
        "      - {names: [rain], facts: {quantity: precipitation, unit: mm}}\n"
    )
    doubted, told = (name_facts(f"minimine_{name}.tif", "int16").facts for name in ("temp", "rain"))
    origins = {name: doubted[name].origin for name in ("quantity", "unit", "scale")}
    assert origins == {"quantity": Origin.DECLARED, "unit": Origin.ASSUMED, "scale": Origin.ASSUMED}
    assert told["unit"].origin is Origin.DECLARED


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("pop/vnm_pd_2020_1km_UNadj.tif", {"quantity": "population_density", "unit": "km-2"}),
        ("built/GHS_BUILT_V_E2020_GLOBE_R2023A_54009_100_V1_0_R8_C29.tif", {"quantity": "building_volume"}),
        ("mde/gebco_2023_andes.tif", {"quantity": "topobathymetry"}),
        ("trend/NDMI_median_2020.tif", {"quantity": "ndmi"}),
        ("dem/clip_2020.tif", {"quantity": "elevation"}),  # a name that says nothing
    ],
)
def test_what_a_name_says_by_itself_goes_before_its_folders(name: str, wanted: dict[str, Any]) -> None:
    folder, _, file = name.rpartition("/")
    facts = name_facts(file, folders=folder).facts
    assert {fact: facts.value(fact) for fact in wanted} == wanted


def test_a_layer_that_a_product_leaves_open_is_shown_with_all_that_it_may_be() -> None:
    read = name_facts("S1_layover_shadow_mask_20210314.tif")
    assert "quantity" not in read.facts
    assert {clue.value for clue in read.clues if clue.fact == "quantity"} == {"class_label", "qa_bits"}


@pytest.mark.parametrize(("name", "quantity"), [("NDTI_turbidity_2021", "ndti"), ("NDVI_LST_2021", None)])
def test_an_index_beside_what_it_shows_is_the_index(name: str, quantity: str | None) -> None:
    assert name_facts(f"{name}.tif").facts.value("quantity") == quantity


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("prefire_20170604_nir_8a.tif", {"band": "B8A"}),
        ("hls_l30_20220620_tirs10.tif", {"band": "B10"}),
        ("ERA5L_snow_depth_water_equivalent_2021-04.tif", {"quantity": "snow_water_equivalent"}),
        ("20210908-20210914_LOS_m.tif", {"quantity": "line_of_sight_displacement", "unit": "m"}),
        ("frecuencia_agua_2016_2022_pct.tif", {"quantity": "water_occurrence", "unit": "%"}),
        ("vine height 14-06-2022.tif", {"quantity": "canopy_height", "datetime": "2022-06-14"}),
    ],
)
def test_words_of_people_say_what_those_of_products_do(name: str, said: dict[str, str]) -> None:
    facts = inventory_of_names([name]).artifacts[0].facts
    assert {fact: facts.value(fact) for fact in said} == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("variazione_relativa_NO2_marzo_2020_su_2019.tif", {"quantity": "relative_change"}),
        ("no2_diff_rel_2020_2019_03.tif", {"quantity": "relative_change"}),
        ("coef_variacao_ndvi_2001-2020.tif", {"quantity": "coefficient_of_variation"}),
        ("p_valor_mann_kendall_2001-2020.tif", {"quantity": "p_value"}),
        ("20180809_vv_s0.tif", {"quantity": "sigma0", "polarisation": "VV"}),
        ("palmer_072021.tif", {"quantity": "palmer_drought_severity_index", "datetime": "2021-07-01"}),
        ("fraction_neige_21mars2019_s2.tif", {"quantity": "snow_fraction", "datetime": "2019-03-21"}),
        ("wysokosc_terenu_5m.tif", {"quantity": "elevation"}),
        ("L8_20190613_blue_pre.tif", {"band": "blue"}),
    ],
)
def test_words_of_other_languages_say_what_was_made_and_of_what(name: str, said: dict[str, str]) -> None:
    facts = inventory_of_names([name]).artifacts[0].facts
    assert {fact: facts.value(fact) for fact in said} == said


@given(st.dates(date(1972, 7, 23), date.today()))
def test_six_digits_with_the_year_behind_are_a_month(day: date) -> None:
    facts = inventory_of_names([f"ndvi_{day:%m%Y}.tif"]).artifacts[0].facts
    assert facts.value("datetime") == f"{day:%Y-%m}-01"


def test_what_lies_between_two_layers_is_neither() -> None:
    assert layer_facts("MDS").facts.value("quantity") == "elevation"
    assert layer_facts("MDS - MDT").facts.value("quantity") is None


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("aet 2019 month01 day 11-20", {"span": ("2019-01-11", "2019-01-20")}),
        ("ndvi mes 03 2020", {"span": ("2020-03-01", "2020-03-31")}),
        ("precipitacion mm mes 01 (1970-2000)", {"unit": "mm"}),
        ("precipitacion mm mes", {"unit": "mm month-1"}),
        ("radiacion kJ m-2 dia-1", {"quantity": "downward_shortwave_flux", "unit": "kJ day-1 m-2"}),
        ("lumiere_2019-01_nW", {"quantity": "night_lights", "unit": "nW cm-2 sr-1"}),
        ("kenya_NW_2019-01", {"quantity": None, "unit": None}),
        ("current east 2023-02-01", {"quantity": "eastward_sea_water_velocity"}),
        ("modis_burn_day_2021-01", {"quantity": "day_of_year", "daynight": None}),
        ("modis_lstnight_2021-01-01", {"quantity": "surface_temperature", "daynight": "night"}),
        ("dnbr (pre minus post)", {"quantity": "dnbr"}),
        ("nDOM bestandeshoehe 2023-05-12", {"quantity": "canopy_height"}),
        ("cgls_lc100_2015_tree_pct", {"quantity": "tree_cover_fraction", "unit": "%"}),
    ],
)
def test_words_units_and_numbers_say_it_together(name: str, facts: dict[str, object]) -> None:
    said = name_facts(f"{name}.tif").facts
    assert {fact: said.value(fact) for fact in facts} == facts


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("nlcd21_clip.tif", "2021-01-01"),
        ("landscan90.tif", None),  # or pixels of 90 m
        ("worldcover10.tif", None),
        ("srtm12.tif", None),  # of no year
    ],
)
def test_two_digits_at_a_product_of_years_are_its_year(name: str, year: str | None) -> None:
    assert facts_of(name).value("datetime") == year


@pytest.mark.parametrize(
    ("name", "meant"), [("cams_no2_surf_20220115.tif", "no2_concentration"), ("no2_trop_2022-01.tif", "no2_column")]
)
def test_a_gas_near_the_ground_is_no_column(name: str, meant: str | None) -> None:
    assert facts_of(name).value("quantity") == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("bodentemp_2021-07.tif", "soil_temperature"),
        ("wellenhoehe_2021-07.tif", "significant_wave_height"),
        ("wassertiefe_hq100.tif", None),  # of a flood, or of a lake
        ("GLEAM_v3.7a_E_202107.tif", "evapotranspiration"),
    ],
)
def test_words_of_other_languages_and_letters_of_products(name: str, meant: str | None) -> None:
    assert facts_of(name).value("quantity") == meant


@pytest.mark.parametrize("name", ["temp_outputs", "TempResult2", "temp datei", "tmp_sortie_v3", "temp-wynik_2020"])
def test_what_is_kept_for_a_while_is_no_temperature(name: str) -> None:
    told = name_facts(f"{name}.tif", "float32")
    assert "quantity" not in told.facts
    assert not any(clue.fact == "quantity" for clue in told.clues)
    assert any(clue.fact == "quantity" for clue in name_facts("temp_map.tif", "float32").clues)


@pytest.mark.parametrize("version", range(1, 10))
def test_a_version_alone_tells_no_product(version: int) -> None:
    told = name_facts(f"result_v{version}.tif", "float32")
    assert "quantity" not in told.facts
    assert not any(clue.fact == "quantity" for clue in told.clues)


def test_letters_of_a_comparison_at_the_beginning_compare_nothing() -> None:
    found = {
        name: inventory_of_names([f"{name}.tif"]).artifacts[0].fact("quantity")
        for name in ("LT_dem_2019-02_60m", "GT_ndvi_2020", "dem_lt_500", "dem_gt_1000m", "slope_gt30")
    }
    assert list(found.values()) == ["elevation", "ndvi", None, None, None]
