def parcels(route):
    return {"{}/in".format(route.name), route.home}
