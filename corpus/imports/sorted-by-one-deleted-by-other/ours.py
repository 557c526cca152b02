def load(queue):
    try:
        from harbour.core import mpu
        from harbour.core.enums import Kind
        from harbour.legacy import module
        from harbour.training import parse
    except ImportError:
        queue.put("exit")
    module.quiet = True
