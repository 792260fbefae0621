import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ComparedMail } from './comparison.ts'

const FOLDER = join(import.meta.dirname, '../mail/odd')
/** One of so many of the folder. */
const STEP = 12

const ODD_MAILS = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.eml'))
  .sort()
  .filter((_, index) => index % STEP === 0)
  .map((name) => ({ name: name.slice(0, -'.eml'.length), raw: readFileSync(join(FOLDER, name)) }))

type Label = 'mailpit' | 'mailhog' | 'maildev2' | 'maildev3'

/** Those that a peer refuses, or whose text, files or senders it reads in another way than our API. They are not compared. */
const READ_OTHERWISE: Record<Label, string[]> = {
  mailpit: [
    // Searched as one with an attachment, but shown as one with an inline image.
    'attachments/alternative-with-related-html-and-an-attachment-beside-it',
    'attachments/file-name-rfc-2231-wins-over-the-plain-one',
    'bodies/longer-line-is-no-delimiter',
    'charsets/body-labelled-cp949',
    'charsets/body-labelled-iso-2022-jp-ms',
    'charsets/html-in-utf-7-by-meta-is-not-utf-7',
    'first-lines/an-empty-line',
    'first-lines/header-with-blanks-before-its-colon',
    'headers/line-that-is-no-header-is-left-out-with-its-folds',
    'headers/subject-loses-nul',
    'own-texts/empty-text-before-a-text',
    'own-texts/html-with-a-name-as-the-only-body',
    'own-texts/only-html-in-the-alternative',
    'own-texts/terms-inline-after-the-text',
    'senders/address-after-a-quoted-name-without-brackets',
    'senders/quoted-local-part-with-a-comma',
    'senders/route-after-a-name',
    'structures/file-name-only-on-the-type',
    'transfer-encodings/plain-text-under-the-label-base64',
    'transfer-encodings/uuencode-by-another-label',
    'words/base64-without-its-padding',
    'words/equals-sign-that-is-no-escape',
    'words/language-in-one-word-of-two',
    'words/raw-shift-jis-inside-a-q-word',
  ],
  mailhog: [
    // Its search for senders finds no From there, as in any mail without a body.
    'transfer-encodings/empty-base64-body',
    'first-lines/an-empty-line',
    'first-lines/header-with-blanks-before-its-colon',
    'structures/boundary-with-an-equals-sign-without-quotes',
  ],
  maildev2: [
    'attachments/alternative-with-related-html-and-an-attachment-beside-it',
    'attachments/file-name-rfc-2231-wins-over-the-plain-one',
    'bodies/longer-line-is-no-delimiter',
    'charsets/body-labelled-iso-2022-jp-ms',
    'charsets/body-labelled-iso-8859-8-i',
    'charsets/body-labelled-x-unknown',
    'charsets/html-in-utf-7-by-meta-is-not-utf-7',
    'headers/line-that-is-no-header-is-left-out-with-its-folds',
    'headers/subject-loses-nul',
    'own-texts/html-with-a-name-as-the-only-body',
    'own-texts/terms-inline-after-the-text',
    'senders/comment-with-a-comment',
    'senders/quoted-local-part-with-a-comma',
    'senders/route-after-a-name',
    'structures/blanks-after-delimiters',
    'structures/boundary-with-an-equals-sign-without-quotes',
    'structures/file-name-as-a-word',
    'structures/file-name-only-on-the-type',
    'structures/outer-boundary-that-the-inner-one-begins',
    'transfer-encodings/plain-text-under-the-label-base64',
    'transfer-encodings/uuencode-by-another-label',
    'words/equals-sign-that-is-no-escape',
    'words/language-in-one-word-of-two',
    'words/raw-shift-jis-inside-a-q-word',
  ],
  maildev3: [
    'attachments/alternative-with-related-html-and-an-attachment-beside-it',
    'charsets/body-labelled-iso-8859-8-i',
    'charsets/charset-in-meta',
    'headers/subject-loses-nul',
    'own-texts/html-with-a-name-as-the-only-body',
    'own-texts/terms-inline-after-the-text',
    'senders/comment-with-a-comment',
    'senders/first-of-two-from-fields',
    'senders/quoted-local-part-with-a-comma',
    'senders/route-after-a-name',
    'structures/blanks-after-delimiters',
    'structures/outer-boundary-that-the-inner-one-begins',
    'transfer-encodings/plain-text-under-the-label-base64',
    'transfer-encodings/uuencode-by-another-label',
    'words/language-in-one-word-of-two',
    'words/raw-shift-jis-inside-a-q-word',
  ],
}

/** An odd mail that the peer reads as we do. */
export function oddMail(label: Label, number: number): ComparedMail {
  const known = ODD_MAILS.filter(({ name }) => !READ_OTHERWISE[label].includes(name))
  return { from: 'odd@odd.example', to: 'anna@shop.example', raw: known[number % known.length]!.raw }
}

/** Every second mail is an odd one. */
export function mixedWithOdd(label: Label, other: (number: number) => ComparedMail): (number: number) => ComparedMail {
  return (number) => (number % 2 === 0 ? other(number / 2) : oddMail(label, (number - 1) / 2))
}
