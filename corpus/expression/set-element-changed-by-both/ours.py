def parcels(route):
    return {"{}/in".format(route.name, sep="-"), route.home}
