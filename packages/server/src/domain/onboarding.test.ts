import { describe, expect, test } from 'vitest'
import { mailboxCandidates, mailboxSeed, randomSuffix, starterMailboxCandidates, teamNameFor } from './onboarding.ts'
import type { RandomInt } from './random-text.ts'

// Draws 0, 1, 2 and so on, so that the suffixes are abcd, efgh, ijkl …
function counting(): RandomInt {
  let count = 0
  return (exclusiveMax) => count++ % exclusiveMax
}

function drawing(text: string): RandomInt {
  let count = 0
  return () => 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(text.charAt(count++ % text.length))
}

function candidatesFor(email: string): string[] {
  const random = counting()
  return [...mailboxCandidates(mailboxSeed(email, random), random)]
}

describe('addressing rule 7: team name and first mailbox names', () => {
  test.each<[fullName: string | null, email: string, teamName: string, first: string, second: string]>([
    // 1. The full name decides, with any address.
    ['Jane Doe', 'jd@gmail.com', "Jane's Team", 'jd-abcd', 'jd-abcd-team'],
    ['Jane', 'jane@acme.com', "Jane's Team", 'acme', 'acme-team'],
    ['  Jane   Doe ', 'jane@acme.com', "Jane's Team", 'acme', 'acme-team'],
    ['\u00a0Jane\u00a0Doe', 'jane@acme.com', "Jane's Team", 'acme', 'acme-team'],
    ['Jane\tDoe', 'jane@acme.com', "Jane's Team", 'acme', 'acme-team'],
    ['山田　太郎', 'taro@acme.com', "山田's Team", 'acme', 'acme-team'],
    ['José García', 'jose@acme.com', "José's Team", 'acme', 'acme-team'],
    ['Anne-Marie Smith', 'am@acme.com', "Anne-Marie's Team", 'acme', 'acme-team'],
    ['danah boyd', 'db@acme.com', "danah's Team", 'acme', 'acme-team'],
    ['X', 'x@acme.com', "X's Team", 'acme', 'acme-team'],
    ['', 'jane@acme.com', 'Acme', 'acme', 'acme-team'],
    ['   ', 'jane@acme.com', 'Acme', 'acme', 'acme-team'],
    // 2. A business domain gives its first label.
    [null, 'jane@acme.com', 'Acme', 'acme', 'acme-team'],
    [null, 'JANE@ACME.COM', 'Acme', 'acme', 'acme-team'],
    [null, ' jane@acme.com ', 'Acme', 'acme', 'acme-team'],
    [null, 'jane.doe@acme-corp.co.uk', 'Acme-corp', 'acme-corp', 'acme-corp-team'],
    [null, 'jane@eu.acme.com', 'Eu', 'eu', 'eu-team'],
    [null, 'jane@3m.com', '3m', '3m', '3m-team'],
    [null, 'jane@t.co', 'T', 't', 't-team'],
    [null, 'jane@x.com', 'X', 'x-team', 'x-inbox'],
    [null, 'jane@support.example', 'Support', 'support-team', 'support-inbox'],
    [null, 'jane@test.example', 'Test', 'test-team', 'test-inbox'],
    [null, 'jane@paypal.com', 'Paypal', 'paypal-team', 'paypal-inbox'],
    [null, 'jane@mail.acme.com', 'Mail', 'mail-team', 'mail-inbox'],
    [null, 'jane@gmail.com.example', 'Gmail', 'gmail-team', 'gmail-inbox'],
    [null, 'jane@münchen.de', 'München', 'm-nchen', 'm-nchen-team'],
    [null, 'jane@ärzte.de', 'Ärzte', 'rzte', 'rzte-team'],
    [null, 'jane@例え.jp', '例え', 'inbox-team', 'inbox-inbox'],
    [null, 'jane@xn--mnchen-3ya.de', 'Xn--mnchen-3ya', 'xn--mnchen-3ya', 'xn--mnchen-3ya-team'],
    [null, '"a@b"@acme.com', 'Acme', 'acme', 'acme-team'],
    // 3. A consumer address that looks like a name.
    [null, 'john.doe9@gmail.com', "John's Team", 'john.doe9-abcd', 'john.doe9-abcd-team'],
    [null, 'John.Doe@GMAIL.com', "John's Team", 'john.doe-abcd', 'john.doe-abcd-team'],
    [null, 'jane_smith@outlook.com', "Jane's Team", 'jane_smith-abcd', 'jane_smith-abcd-team'],
    [null, 'jane-smith1984@proton.me', "Jane's Team", 'jane-smith1984-abcd', 'jane-smith1984-abcd-team'],
    [null, 'josé.garcía@gmx.net', "José's Team", 'jos-.garc-a-abcd', 'jos-.garc-a-abcd-team'],
    [null, 'jose\u0301.garcia@gmx.net', "José's Team", 'jose-.garcia-abcd', 'jose-.garcia-abcd-team'],
    [null, 'олег.иванов@gmail.com', "Олег's Team", 'inbox-abcd', 'inbox-abcd-team'],
    [null, 'al.xu@yahoo.co.uk', "Al's Team", 'al.xu-abcd', 'al.xu-abcd-team'],
    [null, 'john@gmail.com', "John's Team", 'john-abcd', 'john-abcd-team'],
    [null, 'peter123@icloud.com', "Peter's Team", 'peter123-abcd', 'peter123-abcd-team'],
    [null, 'JOHNDOE@aol.com', "Johndoe's Team", 'johndoe-abcd', 'johndoe-abcd-team'],
    [null, 'anna.maria_smith@pm.me', "Anna's Team", 'anna.maria_smith-abcd', 'anna.maria_smith-abcd-team'],
    [null, 'олег@gmail.com', "Олег's Team", 'inbox-abcd', 'inbox-abcd-team'],
    // 4. Anything else.
    [null, 'jd42@gmail.com', 'My Team', 'jd42-abcd', 'jd42-abcd-team'],
    [null, 'user@gmail.com', 'My Team', 'user-abcd', 'user-abcd-team'],
    [null, 'user123@gmail.com', 'My Team', 'user123-abcd', 'user123-abcd-team'],
    [null, 'Office@gmx.net', 'My Team', 'office-abcd', 'office-abcd-team'],
    [null, 'test.account@gmx.net', 'My Team', 'test.account-abcd', 'test.account-abcd-team'],
    [null, 'xu@gmail.com', 'My Team', 'xu-abcd', 'xu-abcd-team'],
    [null, 'j.doe@gmail.com', 'My Team', 'j.doe-abcd', 'j.doe-abcd-team'],
    [null, 'john.d@gmail.com', 'My Team', 'john.d-abcd', 'john.d-abcd-team'],
    [null, 'john.x.doe@gmail.com', 'My Team', 'john.x.doe-abcd', 'john.x.doe-abcd-team'],
    [null, 'john9.doe@gmail.com', 'My Team', 'john9.doe-abcd', 'john9.doe-abcd-team'],
    [null, 'john.doe+shop@gmail.com', 'My Team', 'john.doe-shop-abcd', 'john.doe-shop-abcd-team'],
    [null, '12345@icloud.com', 'My Team', '12345-abcd', '12345-abcd-team'],
    [null, '_jane_@me.com', 'My Team', 'jane-abcd', 'jane-abcd-team'],
    [null, 'admin@hey.com', 'My Team', 'admin-abcd', 'admin-abcd-team'],
    [null, 'nobody', 'My Team', 'inbox-team', 'inbox-inbox'],
  ])('%j, %s: %s, %s', (fullName, email, teamName, first, second) => {
    expect(teamNameFor({ fullName, email })).toBe(teamName)
    expect(candidatesFor(email).slice(0, 2)).toEqual([first, second])
  })

  test('all 25 consumer domains seed with the username, others with their label', () => {
    const domains =
      'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com yahoo.co.uk yahoo.ca yahoo.com.au icloud.com me.com mac.com aol.com protonmail.com proton.me mail.com zoho.com fastmail.com hey.com pm.me tutanota.com gmx.com gmx.net'.split(
        ' ',
      )
    expect(domains).toHaveLength(25)
    expect(domains.filter((domain) => mailboxSeed(`bob@${domain}`, counting()) !== 'bob-abcd')).toEqual([])
    expect(mailboxSeed('bob@gmx.example', counting())).toBe('gmx')
  })
})

describe('addressing rule 7: candidates are tried in order', () => {
  test('seed, two fixed suffixes, then twenty random ones', () => {
    const candidates = [...mailboxCandidates('acme', counting())]
    expect(candidates).toHaveLength(23)
    expect(candidates.slice(0, 6)).toEqual(['acme', 'acme-team', 'acme-inbox', 'acme-abcd', 'acme-efgh', 'acme-ijkl'])
    expect(new Set(candidates.slice(3)).size).toBeGreaterThan(1)
  })

  test('reserved names are skipped, with any suffix', () => {
    expect([...mailboxCandidates('support', counting())].slice(0, 2)).toEqual(['support-team', 'support-inbox'])
    expect([...mailboxCandidates('coming', drawing('soonlate'))].slice(0, 5)).toEqual([
      'coming',
      'coming-team',
      'coming-inbox',
      'coming-late',
      'coming-late',
    ])
  })

  test('names that are too long are skipped', () => {
    const counts = [58, 59, 60, 64, 65].map((length) => [...mailboxCandidates('a'.repeat(length), counting())].length)
    expect(counts).toEqual([23, 22, 1, 1, 0])
  })

  test('no random suffix is drawn before it is needed', () => {
    const [first] = mailboxCandidates('acme', () => {
      throw new Error('drawn')
    })
    expect(first).toBe('acme')
  })

  test('a long username leaves room for its suffix', () => {
    const seed = mailboxSeed(`${'a'.repeat(64)}@gmail.com`, counting())
    expect(seed).toBe(`${'a'.repeat(59)}-abcd`)
    expect(mailboxSeed(`${'a'.repeat(58)}.b@gmail.com`, counting())).toBe(`${'a'.repeat(58)}-abcd`)
  })
})

describe('addressing rule 7: starter mailbox', () => {
  test.each<[string, string, string]>([
    ['My Team', 'inbox-abcd', 'inbox-efgh'],
    ['  my   TEAM ', 'inbox-abcd', 'inbox-efgh'],
    ['', 'inbox-abcd', 'inbox-efgh'],
    ['   ', 'inbox-abcd', 'inbox-efgh'],
    ['Gmail', 'inbox-abcd', 'inbox-efgh'],
    ['TUTANOTA', 'inbox-abcd', 'inbox-efgh'],
    ['Acme', 'acme', 'acme-team'],
    ['Acme, Inc.', 'acme-inc', 'acme-inc-team'],
    ['Acme.. Inc', 'acme.-inc', 'acme.-inc-team'],
    ["Jane's Team", 'jane-s-team', 'jane-s-team-team'],
    ['Support', 'support-team', 'support-inbox'],
    ['Gmail Fans', 'gmail-fans', 'gmail-fans-team'],
    ['東京', 'inbox-team', 'inbox-inbox'],
  ])('of %j: %s', (teamName, first, second) => {
    expect([...starterMailboxCandidates(teamName, counting())].slice(0, 2)).toEqual([first, second])
  })

  test('every generic provider name gets up to twenty random suffixes', () => {
    const generic =
      'gmail googlemail outlook hotmail live msn yahoo ymail icloud aol protonmail proton mail zoho fastmail hey tutanota gmx'
    for (const name of generic.split(' ')) {
      const candidates = [...starterMailboxCandidates(name, counting())]
      expect(candidates).toHaveLength(20)
      expect(candidates.filter((candidate) => !/^inbox-[a-z0-9]{4}$/.test(candidate))).toEqual([])
    }
  })

  test('a very long team name is cut to the maximum length', () => {
    expect([...starterMailboxCandidates(`${'.-'.repeat(50_000)}${'a'.repeat(100_000)}`, counting())]).toEqual([
      'a'.repeat(64),
    ])
  })
})

test('limit: random suffix is 4 characters, alphanumeric', () => {
  const bounds: number[] = []
  const suffix = randomSuffix((exclusiveMax) => {
    bounds.push(exclusiveMax)
    return exclusiveMax - 1
  })
  expect(bounds).toEqual([36, 36, 36, 36])
  expect(suffix).toBe('9999')
  const everyCharacter = Array.from({ length: 36 }, (_, index) => randomSuffix(() => index))
  expect(everyCharacter.filter((text) => !/^[a-z0-9]{4}$/.test(text))).toEqual([])
  expect(new Set(everyCharacter).size).toBe(36)
})
