def parcels(route):
<<<<<<< ours parcels: both sides replaced element "{}/in".format(route.name)
    return {"{}/in".format(route.name, sep="-"), route.home}
||||||| base
    return {"{}/in".format(route.name), route.home}
=======
    return {"{}/in".format(route.title), route.home}
>>>>>>> theirs
