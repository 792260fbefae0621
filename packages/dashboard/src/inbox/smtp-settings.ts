/** Mail settings for common frameworks, without TLS and without a password. */
export function smtpSettings({ host, port }: { host: string; port: number }): { name: string; code: string }[] {
  return [
    {
      name: 'Nodemailer',
      code: `const transport = nodemailer.createTransport({ host: '${host}', port: ${port}, ignoreTLS: true })`,
    },
    {
      name: 'Django',
      code: `EMAIL_HOST = '${host}'
EMAIL_PORT = ${port}
EMAIL_USE_TLS = False
EMAIL_HOST_USER = ''
EMAIL_HOST_PASSWORD = ''`,
    },
    {
      name: 'Rails',
      code: `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = { address: '${host}', port: ${port}, enable_starttls_auto: false }`,
    },
    {
      name: 'Laravel',
      code: `MAIL_MAILER=smtp
MAIL_HOST=${host}
MAIL_PORT=${port}
MAIL_USERNAME=null
MAIL_PASSWORD=null`,
    },
    {
      name: 'Spring Boot',
      code: `spring.mail.host=${host}
spring.mail.port=${port}
spring.mail.properties.mail.smtp.starttls.enable=false`,
    },
  ]
}
