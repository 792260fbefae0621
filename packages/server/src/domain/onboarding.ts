import { checkMailboxName, MAILBOX_NAME_LENGTH_MAX } from './mailbox-name.ts'
import { randomText } from './random-text.ts'
import type { RandomInt } from './random-text.ts'

const CONSUMER_DOMAINS = new Set(
  (
    'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com yahoo.co.uk yahoo.ca ' +
    'yahoo.com.au icloud.com me.com mac.com aol.com protonmail.com proton.me mail.com zoho.com fastmail.com hey.com ' +
    'pm.me tutanota.com gmx.com gmx.net'
  ).split(' '),
)

// These name a mail provider instead of the user.
const GENERIC_NAMES = new Set(
  (
    'gmail googlemail outlook hotmail live msn yahoo ymail icloud aol protonmail proton mail zoho fastmail hey ' +
    'tutanota gmx'
  ).split(' '),
)

const UNNAMED_TEAM = 'My Team'
const UNNAMED_MAILBOX = 'inbox'

const SUFFIX = { alphabet: 'abcdefghijklmnopqrstuvwxyz0123456789', length: 4 }

// There are 36^4 suffixes. If twenty random ones are taken, something else is wrong.
const SUFFIX_DRAWS = 20

// One word of at least three letters, or parts of at least two letters each, such as given and family name.
const NAME_LIKE = /^(?:\p{L}{3,}|\p{L}{2,}(?:[._-]\p{L}{2,})+)$/u

// Words for the purpose of a mailbox, not for a person.
const NOT_NAMES = new Set('user test admin info mail hello contact team support office me'.split(' '))

export function teamNameFor({ fullName, email }: { fullName: string | null; email: string }): string {
  const firstName = fullName?.trim().split(/\s+/u)[0]
  if (firstName) return `${firstName}'s Team`
  const { username, domain, label } = splitEmail(email)
  if (!CONSUMER_DOMAINS.has(domain)) return capitalise(label) || UNNAMED_TEAM
  const name = nameIn(username)
  return name === null ? UNNAMED_TEAM : `${capitalise(name)}'s Team`
}

/** The first part of a username that looks like a name. Trailing digits do not count. */
function nameIn(username: string): string | null {
  const words = username.normalize('NFC').replace(/\d+$/u, '')
  const [first = ''] = words.split(/[._-]/u)
  return NAME_LIKE.test(words) && !NOT_NAMES.has(first.toLowerCase()) ? first : null
}

export function mailboxSeed(email: string, random: RandomInt): string {
  const { username, domain, label } = splitEmail(email)
  if (!CONSUMER_DOMAINS.has(domain)) return normalise(label)
  // Shortened before the suffix is added, so that a long username does not cut off the random part.
  const suffix = `-${randomSuffix(random)}`
  return `${normalise(username, MAILBOX_NAME_LENGTH_MAX - suffix.length)}${suffix}`
}

/** Names to try until one is free. If none is, the caller responds with a conflict. */
export function* mailboxCandidates(seed: string, random: RandomInt): Generator<string> {
  yield* choosable([seed, `${seed}-team`, `${seed}-inbox`])
  yield* choosable(withSuffixes(seed, random))
}

export function starterMailboxCandidates(teamName: string, random: RandomInt): Iterable<string> {
  const name = teamName.trim().toLowerCase().replaceAll(/\s+/gu, ' ')
  const isGeneric = name === '' || name === UNNAMED_TEAM.toLowerCase() || GENERIC_NAMES.has(name)
  return isGeneric ? choosable(withSuffixes(UNNAMED_MAILBOX, random)) : mailboxCandidates(normalise(teamName), random)
}

export function randomSuffix(random: RandomInt): string {
  return randomText(SUFFIX, random)
}

function* withSuffixes(seed: string, random: RandomInt): Generator<string> {
  for (let draw = 0; draw < SUFFIX_DRAWS; draw++) yield `${seed}-${randomSuffix(random)}`
}

function* choosable(names: Iterable<string>): Generator<string> {
  for (const name of names) {
    const checked = checkMailboxName(name)
    if ('name' in checked) yield checked.name
  }
}

function splitEmail(email: string): { username: string; domain: string; label: string } {
  const [, username = '', domain = ''] = /^(.*)@(.*)$/su.exec(email.trim()) ?? []
  const lowerDomain = domain.toLowerCase()
  return { username, domain: lowerDomain, label: lowerDomain.split('.')[0] ?? '' }
}

function normalise(text: string, lengthMax = MAILBOX_NAME_LENGTH_MAX): string {
  return (
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/gu, '-')
      // Two dots in a row are a valid name, but an unquoted local part cannot contain them.
      .replaceAll(/\.{2,}/gu, '.')
      .replace(/^[^a-z0-9]+/u, '')
      .slice(0, lengthMax)
      .replace(/[^a-z0-9]+$/u, '') || UNNAMED_MAILBOX
  )
}

function capitalise(word: string): string {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('').toLowerCase()
}
