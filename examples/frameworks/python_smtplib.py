# Python's own library, for any Python program.
import os
import smtplib
import sys
from email.message import EmailMessage

message = EmailMessage()
message["From"] = "app@shop.example"
message["To"] = sys.argv[1] if len(sys.argv) > 1 else "qa+signup@mailhatch.test"
message["Subject"] = "Your code is 482913"
message.set_content("Your code is 482913.")

with smtplib.SMTP(os.environ.get("SMTP_HOST", "localhost"), int(os.environ.get("SMTP_PORT", "2525"))) as smtp:
    smtp.send_message(message)
