/* Any bytes as a table of activations over time. What was refused leaves nothing behind. */
#include "control/drive.h"
#include "file_case.h"
#include "scenes.h"
#include "sinew/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static snDrive *drive;
    snError error = {0};
    if (!drive) {
        snSpec *spec = sn_scene("finger");
        snModel *model = NULL;
        if (!spec || sn_compile(spec, &model, NULL) != SN_OK) abort();
        if (sn_drive_create(spec, model, &drive, &error) != SN_OK) abort();
    }
    double end = -1;
    int32_t mark = sn_drive_mark(drive);
    snStatus status = sn_load_activations(file_of(data, size, "activations.csv"), drive, &end, &error);
    if (status != SN_OK && (sn_drive_mark(drive) != mark || !error.message[0])) abort();
    sn_drive_take_back(drive, mark);
    return 0;
}
