def deploy(host):
    host.lock()
    host.copy()
    host.restart()
    host.unlock()
    host.report()
