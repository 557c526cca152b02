def load(queue):
    try:
        from harbour.training import parse
        from harbour.legacy import module
        from harbour.core import mpu
        from harbour.core.enums import Kind
    except ImportError:
        queue.put("exit")
    module.quiet = True
