def shutdown(server):
    server.stop_accepting()
    server.close()
