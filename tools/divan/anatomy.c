// divan anatomy: from an image of labels, or closed surfaces, to a scene (docs/anatomy.md).
#include "anatomy.h"

#include "base/file.h"
#include "io/load/loader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad_input(const char *path, const dvMeshError *error)
{
  if (error->line) fprintf(stderr, "%s:%d: error: %s\n", path, error->line, error->text);
  else fprintf(stderr, "divan anatomy: error: %s: %s\n", path, error->text);
  return DV_ERROR_INPUT;
}

static int finish(Plan *p, const Options *o, const dvVoxels *image, double unit, dvMesh *surfaces)
{
  int status = models_make(p, o, image, unit, surfaces);
  if (status) return status;
  catch_interrupts();   // Ctrl-C ends the work at once; what is being written is written
  status = scene_write(p, o);
  return status ? status : interrupted();
}

// labels of the input that are named nowhere
static void tell_unnamed(const Plan *p, const char *path, const int32_t *labels, size_t count)
{
  dvText list = {0};
  for (size_t i = 0; i < count; i++) {
    bool named = false;
    for (size_t k = 0; k < p->count && !named; k++) named = p->things[k].label == labels[i];
    if (!named) dv_text_printf(&list, "%s%d", list.length ? ", " : "", labels[i]);
  }
  if (list.length)
    fprintf(stderr, "divan anatomy: warning: %s: --labels does not name %s: left out\n", path, list.text);
  dv_text_free(&list);
}

// an image of a body is some centimetres to a metre wide
static void tell_extent(const dvVoxels *image, const char *path, double unit)
{
  double extent = 0;
  for (int k = 0; k < 3; k++) extent = fmax(extent, unit * image->size[k] * image->n[k]);
  if (extent > 10 || extent < 1e-3)
    fprintf(stderr, "divan anatomy: warning: %s: all of it is %.3g m wide; --unit 0.001 takes millimetres\n", path,
            extent);
}

static int from_image(const Options *o, Plan *p)
{
  dvVoxels image;
  dvMeshError error = {0};
  int32_t labels[MOST_THINGS + 1];
  char names[MOST_THINGS + 1][NAME_LENGTH];
  if (dv_voxels_read(o->scene, NULL, &image, &error) != DV_OK) return bad_input(o->scene, &error);
  if (image.told[0]) fprintf(stderr, "divan anatomy: warning: %s: %s\n", o->scene, image.told);
  double unit = o->unit > 0 ? o->unit : image.unit > 0 ? image.unit : 1e-3;
  int status = 0;
  if (dv_labels_check(&image, unit, &error) != DV_OK) status = bad_input(o->scene, &error);
  if (!status) {
    size_t count = dv_labels_list(&image, labels, MOST_THINGS + 1);
    printf("%s: %d x %d x %d voxels of %g x %g x %g mm, %zu labels\n", o->scene, image.n[0], image.n[1], image.n[2],
           1e3 * unit * image.size[0], 1e3 * unit * image.size[1], 1e3 * unit * image.size[2], count);
    fflush(stdout);   // warnings come behind it
    if (!(o->unit > 0)) tell_extent(&image, o->scene, unit);
    for (size_t i = 0; i < count && i <= MOST_THINGS; i++) dv_snprintf(names[i], sizeof names[i], "label%d", labels[i]);
    if (!count) {
      fprintf(stderr, "divan anatomy: error: %s: no voxel is above 0\n", o->scene);
      status = DV_ERROR_INPUT;
    } else status = plan_read(p, o->labels, labels, names, count);
    if (!status) tell_unnamed(p, o->scene, labels, dv_min_size(count, MOST_THINGS + 1));
  }
  if (!status) status = finish(p, o, &image, unit, NULL);
  dv_voxels_free(&image);
  return status;
}

// what a file is called, as a name of a node
static void name_of(const char *path, size_t number, char *out)
{
  const char *name = dv_path_name(path);
  dv_snprintf(out, NAME_LENGTH, "%.*s", (int)strcspn(name, "."), name);
  for (char *c = out; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9' && c > out) || *c == '_' ||
          (*c == '-' && c > out)))
      *c = '_';
  if (out[0] == '_' || !out[0]) dv_snprintf(out, NAME_LENGTH, "organ%zu", number);
}

// files of two directories may have one name
static void make_unique(char (*names)[NAME_LENGTH], size_t count)
{
  for (size_t i = 0; i + 1 < count; i++)
    if (dv_same(names[i], names[count - 1])) dv_snprintf(names[count - 1], NAME_LENGTH, "organ%zu", count);
}

// how far the surfaces reach, m
static double extent_of(const dvMesh *surfaces, size_t count, double unit)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < surfaces[i].positions.count; k++) {
      low[k % 3] = fmin(low[k % 3], surfaces[i].positions.data[k]);
      high[k % 3] = fmax(high[k % 3], surfaces[i].positions.data[k]);
    }
  for (int k = 0; k < 3; k++) extent = fmax(extent, unit * (high[k] - low[k]));
  return extent;
}

// triangles alone: faces of .obj files are cut, quads of others too
static bool make_triangles(dvMesh *m)
{
  if (m->facets.offset.count) return dv_loader_faces(m, true, NULL);
  dv_loader_triangulate(m);
  return true;
}

static int from_surfaces(const Options *o, Plan *p)
{
  int32_t labels[MOST_THINGS];
  char names[MOST_THINGS][NAME_LENGTH];
  dvMesh *surfaces = dv_alloc(MOST_THINGS * sizeof *surfaces);
  int status = 0;
  for (size_t i = 0; i < o->names.count && !status; i++) {
    dvMeshError error = {0};
    const char *path = o->names.data[i];
    labels[i] = (int32_t)i + 1;
    name_of(path, i + 1, names[i]);
    make_unique(names, i + 1);
    if (dv_mesh_read(path, &surfaces[i], &error) != DV_OK) status = bad_input(path, &error);
    else if (!make_triangles(&surfaces[i])) status = bad_input(path, &(dvMeshError){.text = "out of memory"});
    else if (!surfaces[i].triangles.count) status = bad_input(path, &(dvMeshError){.text = "it has no triangles"});
  }
  if (!status) status = plan_read(p, o->labels, labels, names, o->names.count);
  for (size_t i = 0; i < p->count && !status; i++)
    if (p->things[i].label > (int32_t)o->names.count) {
      fprintf(stderr, "divan anatomy: error: %s: there are only %zu surfaces, none with number %d\n", p->things[i].name,
              o->names.count, p->things[i].label);
      status = DV_ERROR_INPUT;
    }
  const double unit = o->unit > 0 ? o->unit : 1, extent = status ? 0 : extent_of(surfaces, o->names.count, unit);
  if (!status) tell_unnamed(p, "the surfaces", labels, o->names.count);
  if (extent > 10)
    fprintf(stderr, "divan anatomy: warning: all of it is %.4g m wide: --unit 0.001 takes millimetres\n", extent);
  if (!status) status = finish(p, o, NULL, unit, surfaces);
  for (size_t i = 0; i < o->names.count; i++) dv_mesh_free(&surfaces[i]);
  dv_free(surfaces);
  return status;
}

static int anatomy(const Options *o)
{
  if (!o->scene) return usage_error(&command_anatomy, "name an image of labels or closed surfaces");
  if (!o->out) return usage_error(&command_anatomy, "say where the scene goes: --out DIR");
  bool image = dv_voxels_has_header(o->scene);
  if (image && o->second) return usage_error(&command_anatomy, "only one image is read; '%s' is one more", o->second);
  if (dv_ends_with_nocase(o->scene, ".nrrd"))
    return usage_error(&command_anatomy, "'%s': save the labels as .nii.gz; NRRD is not read", o->scene);
  if (!image && !dv_mesh_can_read(o->scene))
    return usage_error(&command_anatomy,
                       "'%s' is neither an image (.nii, .nii.gz, .mhd, .mha) nor a surface (.obj, .stl, .off, .vtk)",
                       o->scene);
  if (!output_directory(o->out)) return DV_ERROR_INPUT;
  if (!dv_make_directories(o->out)) {
    cannot_write(o->out);
    return DV_ERROR_INPUT;
  }
  Plan *p = dv_alloc(sizeof *p);
  int status = image ? from_image(o, p) : from_surfaces(o, p);
  plan_free(p);
  dv_free(p);
  return status;
}

const Command command_anatomy = {
    .verb = VERB_ANATOMY,
    .name = "anatomy",
    .summary = "make a scene of organs and vessels from a labelled image or closed surfaces",
    .usage = "divan anatomy IMAGE --out DIR [--labels LIST] [options]\n"
             "       divan anatomy SURFACE... --out DIR [--labels LIST] [options]\n",
    .about =
        "An image (NIfTI .nii .nii.gz, MetaImage .mhd .mha) has a whole number for each voxel: which organ it is of.\n"
        "Each organ gets a smooth surface with the volume of its voxels and tetrahedra inside; vessels get a "
        "centreline,\n"
        "curves, and beams that are moved with the tetrahedra they lie in and stiffen them. DIR then holds scene.scn "
        "and\n"
        "the meshes: look at it with `divan view DIR/scene.scn`, edit it as any scene. Surfaces (.obj .stl .off .vtk "
        "...)\n"
        "must be closed; they count from 1 in the order of the command line.\n",
    .more =
        "LIST says what the labels are, in the command line or in a file: entries separated by commas or lines,\n"
        "  LABEL=ORGAN[:young=4000][:poisson=0.45][:density=1050][:hold=+y][:capsule=0][:cell=M][:grade=2]\n"
        "    [:color=R/G/B]\n"
        "  LABEL=PART:part=ORGAN[:young=Y][:poisson=P][:density=D][:color=R/G/B]\n"
        "  LABEL=BONE:bone=1[:color=R/G/B]\n"
        "  LABEL=VESSELS:vessel=ORGAN[:young=1e6][:poisson=0.45][:wall=0.15][:least=0][:longest=M][:color=R/G/B]\n"
        "  ligament=ORGAN/ORGAN[:stiffness=200][:reach=M]\n"
        "young in Pa; density in kg/m3; hold: the side that is fixed (+x -x +y -y +z -z, all, none); capsule: "
        "stretching\n"
        "stiffness of the membrane around an organ, N/m; wall: thickness in radii, 1 is solid; least: thinnest "
        "radius,\n"
        "longest: longest beam, reach: how far a ligament goes, cell: size of tetrahedra, all in m; grade: how "
        "many\n"
        "times as large they are deep inside, 1 to 4; part: a tumour, a cyst or a segment of an organ, with its own "
        "material\n"
        "(what is not said is that of the organ); bone: it does not move, others touch it; stiffness in N/m.\n",
    .examples = "  divan anatomy organ.nii.gz --labels 1=liver:hold=+y:capsule=50,2=portal:vessel=liver --out scene\n"
                "  divan anatomy organ.nii.gz --labels 1=liver:hold=+y,3=tumour:part=liver:young=20000 --out scene\n"
                "  divan anatomy scan.mha --labels labels.txt --cells 20 --out patient\n"
                "  divan anatomy liver.stl stomach.stl --unit 0.001 --out scene\n",
    .most_names = MOST_THINGS,
    .run = anatomy,
};
