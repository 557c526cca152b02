def load(queue):
    try:
        from harbour.core import mpu
        from harbour.core.enums import Kind
        from harbour.core.language import Language
        from harbour.training import parse
    except ImportError:
        queue.put("exit")
    Language.quiet = True
