def shutdown(server):
    server.stop_accepting()
    server.drain(timeout=10)
    server.close()
