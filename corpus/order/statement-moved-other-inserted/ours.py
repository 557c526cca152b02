def deploy(host):
    host.lock()
    host.copy()
    host.restart()
    host.report()
    host.unlock()
