import type { SendMailOptions } from 'nodemailer'

/** Sample mail for screenshots, oldest first. All names are fictitious. */
export const SAMPLE_MAILS: (SendMailOptions & { minutesAgo: number })[] = [
  {
    minutesAgo: 2_950,
    from: 'Northwind Books <news@northwind.example>',
    to: 'news+spring@mailhatch.test',
    subject: 'Twelve books for long evenings',
    html: letter('Twelve books for long evenings', ['Our booksellers chose them, and wrote down why.']),
  },
  {
    minutesAgo: 1_510,
    from: 'Build robot <builds@ci.example>',
    to: 'builds@mailhatch.test',
    subject: 'main: 1,284 tests passed in 3 min 12 s',
    text: 'All green.\nhttps://ci.example/builds/512',
  },
  {
    minutesAgo: 195,
    from: 'Fjord Airlines <tickets@fjord.example>',
    to: 'qa+booking-7@mailhatch.test',
    subject: 'Your ticket to Bergen, seat 14A',
    html: letter('Your ticket to Bergen', ['Flight FJ 214, seat 14A. The boarding pass is attached.']),
    attachments: [{ filename: 'boarding-pass.pdf', content: '%PDF-1.4\n%%EOF\n' }],
  },
  {
    minutesAgo: 64,
    from: 'Acme Shop <orders@acme.example>',
    to: 'qa+checkout@mailhatch.test',
    subject: 'Order 20417 is on its way',
    html: letter('Your order is on its way', ['One pair of running shoes, blue, size 42.', 'It arrives on Thursday.']),
    attachments: [{ filename: 'invoice-20417.txt', content: 'Running shoes 89.00' }],
  },
  {
    minutesAgo: 21,
    from: 'Kontor <konto@kontor.example>',
    to: 'qa+anmeldung@mailhatch.test',
    subject: 'Bestätigen Sie Ihre Anmeldung',
    html: letter('Guten Tag!', ['Ihr Bestätigungscode lautet 739 204.']),
  },
  {
    minutesAgo: 6,
    from: 'Acme Shop <account@acme.example>',
    to: 'qa+reset@mailhatch.test',
    subject: 'Reset your password',
    html: letter('Reset your password', ['The link works for an hour.'], {
      text: 'Choose a new password',
      href: 'https://acme.example/reset?token=7d1f',
    }),
  },
  {
    minutesAgo: 0,
    from: 'Acme Shop <account@acme.example>',
    to: 'qa+signup@mailhatch.test',
    subject: '482913 is your verification code',
    text: 'Your verification code is 482913. Or confirm: https://acme.example/verify?token=482913',
    html: letter(
      'Nearly there, Robin',
      [
        'Enter this code to finish creating your account:',
        '<b style="font:600 30px ui-monospace,monospace">482913</b>',
      ],
      { text: 'Confirm your address', href: 'https://acme.example/verify?token=482913' },
    ),
  },
]

function letter(title: string, lines: string[], button?: { text: string; href: string }): string {
  const link =
    button &&
    `<p style="margin:28px 0 0"><a href="${button.href}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#23395d;color:#fff;text-decoration:none">${button.text}</a></p>`
  return `<body style="margin:0;padding:0 16px;background:#eef1f6;font:16px/1.6 system-ui,sans-serif;color:#1c2430">
<div style="max-width:440px;margin:32px auto;padding:32px;background:#fff;border-radius:12px">
<h1 style="margin:0 0 12px;font-size:22px">${title}</h1>
${lines.map((line) => `<p style="margin:0 0 8px">${line}</p>`).join('\n')}
${link ?? ''}
</div></body>`
}
