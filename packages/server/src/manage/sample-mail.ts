import { randomText, type RandomInt } from '../domain/random-text.ts'

export const SAMPLE_SENDER = 'hello@mailhatch.example'

/** A typical mail from an app with a code, links and two bodies. */
export function sampleMail({ to, at }: { to: string; at: number }, random: RandomInt): Uint8Array<ArrayBuffer> {
  // A code with a leading zero would look like a mistake.
  const code = `${1 + random(9)}${randomText({ alphabet: '0123456789', length: 5 }, random)}`
  const boundary = `sample-${randomText({ alphabet: 'abcdefghijklmnopqrstuvwxyz', length: 16 }, random)}`
  const lines = [
    `From: Mailhatch <${SAMPLE_SENDER}>`,
    `To: ${to}`,
    `Subject: ${code} is your verification code`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${boundary}@mailhatch.example>`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...textOf(code),
    '',
    `--${boundary}`,
    'Content-Type: text/html; charset=utf-8',
    '',
    ...htmlOf(code),
    '',
    `--${boundary}--`,
    '',
  ]
  return new TextEncoder().encode(lines.join('\r\n'))
}

function textOf(code: string): string[] {
  return [
    'Welcome to Mailhatch!',
    '',
    `Your verification code is ${code}.`,
    '',
    'Or confirm with this link:',
    `https://shop.example/verify?token=${code}`,
    '',
    'This mail was created by your own server. Nothing was sent over the internet.',
  ]
}

function htmlOf(code: string): string[] {
  return [
    '<!doctype html>',
    '<body style="margin:0;background:#f4f5f2">',
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:40px 16px">',
    '<table role="presentation" width="480" cellpadding="0" cellspacing="0" style="max-width:480px;background:#fff;border-radius:12px">',
    '<tr><td style="padding:32px;font:16px/1.5 system-ui,sans-serif;color:#1f2a24">',
    '<h1 style="margin:0 0 16px;font-size:22px">Welcome to Mailhatch!</h1>',
    '<p style="margin:0 0 8px">Your verification code is</p>',
    `<p style="margin:0 0 24px;font:600 32px/1 ui-monospace,monospace;letter-spacing:6px">${code}</p>`,
    `<p style="margin:0 0 24px"><a href="https://shop.example/verify?token=${code}" style="display:inline-block;padding:12px 20px;background:#1f6f4a;color:#fff;border-radius:8px;text-decoration:none">Confirm your address</a></p>`,
    '<p style="margin:0;font-size:13px;color:#5b6660">This mail was created by your own server. Nothing was sent over the internet.</p>',
    '</td></tr></table></td></tr></table></body>',
  ]
}
