def parcels(route):
    return {"{}/in".format(route.title), route.home}
