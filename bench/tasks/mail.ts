export type MailOptions = { sizeBytes: number; recipient: string }

/** The SMTP commands for one mail, prepared in advance to keep sending cheap. */
export type MailCommands = { from: Buffer; recipient: Buffer; data: Buffer; content: Buffer }

export const EHLO = Buffer.from('EHLO load.test\r\n')
export const QUIT = Buffer.from('QUIT\r\n')

const SENDER = 'no-reply@shop.test'
const BOUNDARY = 'b1_7f3a9c21d4e8'

export function mailCommands({ sizeBytes, recipient }: MailOptions): MailCommands {
  return {
    from: Buffer.from(`MAIL FROM:<${SENDER}>\r\n`),
    recipient: Buffer.from(`RCPT TO:<${recipient}>\r\n`),
    data: Buffer.from('DATA\r\n'),
    content: Buffer.concat([mailOfSize({ sizeBytes, recipient }), Buffer.from('.\r\n')]),
  }
}

/** A typical sign-up mail with text, HTML, a code and a link, padded to the given size. */
export function mailOfSize({ sizeBytes, recipient }: MailOptions): Buffer {
  const start = [
    'Received: from app.shop.test (app.shop.test [192.0.2.10]) by mx.shop.test; Mon, 2 Nov 2026 09:00:00 +0000',
    `From: "The Shop" <${SENDER}>`,
    `To: ${recipient}`,
    'Subject: 482913 is your confirmation code',
    'Message-ID: <20261102090000.7f3a9c21@shop.test>',
    'Date: Mon, 2 Nov 2026 09:00:00 +0000',
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${BOUNDARY}"`,
    '',
    `--${BOUNDARY}`,
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
    '',
    TEXT,
    `--${BOUNDARY}`,
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<html><body><p>Hello,</p><p>your confirmation code is <b>482913</b>.</p>',
    '<p><a href=3D"https://shop.test/confirm?token=3Da81f5c">Confirm your address</a></p>',
    '',
  ].join('\r\n')
  const end = ['</body></html>', `--${BOUNDARY}--`, ''].join('\r\n')
  const lines = Math.max(0, Math.floor((sizeBytes - start.length - end.length) / FILLING.length))
  return Buffer.from(start + FILLING.repeat(lines) + end)
}

const TEXT = [
  'Hello,',
  '',
  'your confirmation code is 482913. It is valid for ten minutes.',
  'Or follow this link: https://shop.test/confirm?token=a81f5c',
  '',
  'If you did not ask for an account, nothing needs to be done.',
].join('\r\n')

const FILLING = '<p style=3D"margin:0">Free delivery on orders above thirty euro.</p>\r\n'
