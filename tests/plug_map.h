/* The feature map of test_maps.c, in the registries of that program. */
#define GERSH__PLUG_MAPS MAP(hinge)
