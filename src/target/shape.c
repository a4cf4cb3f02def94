/* Data as the network sees them. */
#include <kelvin/target.h>

kelvin_shape kelvin_data_shape(const kelvin_data *data)
{
    if (data->channels > 0) return (kelvin_shape){data->channels, data->height, data->width};
    return (kelvin_shape){data->inputs, 1, 1};
}
