# Django. Try it with: python -m django sendtestemail --settings settings qa+signup@mailhatch.test
import os

EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = os.environ.get("SMTP_HOST", "localhost")
EMAIL_PORT = int(os.environ.get("SMTP_PORT", "2525"))
EMAIL_USE_TLS = False
DEFAULT_FROM_EMAIL = "app@shop.example"
