def deploy(host):
    host.lock()
    host.copy()
    host.warm_cache()
    host.restart()
    host.unlock()
    host.report()
