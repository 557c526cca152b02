def load(queue):
    try:
        from harbour.training import parse
        from harbour.core import mpu
        from harbour.core.enums import Kind
        from harbour.core.language import Language
    except ImportError:
        queue.put("exit")
    Language.quiet = True
