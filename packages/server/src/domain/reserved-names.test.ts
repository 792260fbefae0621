import { describe, expect, test } from 'vitest'
import { checkMailboxName } from './mailbox-name.ts'
import { isReserved, RESERVED_NAMES } from './reserved-names.ts'

// The table of the specification, followed by the groups that it describes without names.
const TABLE = `
| Internet standard | abuse, admin, administrator, hostmaster, mailer-daemon, postmaster, root, webmaster |
| System | daemon, system, sys, sysadmin, devops, ops, noc, it, tech, technical |
| Executive | ceo, cfo, cto, coo, ciso, president, vp, director, manager, executive, leadership, board, founder, owner |
| Authority | irs, fbi, cia, nsa, government, gov, federal, state, police, court |
| Finance/shipping generic | bank, banking, shipping, delivery, tracking |
| Service accounts | no-reply, noreply, no_reply, donotreply, do-not-reply, bounce, bounces, notifications, notification, alerts, alert, newsletter, newsletters, digest |
| Support | support, help, helpdesk, service, contact, info, information, inquiries, inquiry, feedback, questions |
| Sales | sales, marketing, business, partner, partners, affiliate, affiliates, reseller |
| Billing | billing, finance, accounting, accounts, payment, payments, payroll, invoice, invoices |
| Legal | legal, compliance, privacy, gdpr, dpo, terms, dmca, copyright |
| Security | security, spam, phishing, fraud, cert, csirt |
| API/dev | api, webhook, webhooks, developer, dev, staging, test, testing, demo, sandbox |
| HR | hr, humanresources, human-resources, recruiting, recruitment, careers, jobs, hiring |
| Organisation | team, teams, company, official, staff, employee, employees |
| Generic | all, everyone, nobody, default, example, sample, mail, email, inbox, outbox |
| Temporary | temp, temporary, tmp, trash, junk, qa |
| Special | null, undefined, none, unknown, anonymous, guest |
| News | news, updates, announcements, press, media, pr |
| Operations | operations, deployment, deploy, release, releases, status, uptime, monitoring, logs |
| Future | reserved, future, coming-soon, beta, alpha |
| The service itself | mailhatch |
| Technology providers | google, gmail, microsoft, outlook, yahoo, apple, icloud, amazon, aws |
| Payment platforms | paypal, stripe, venmo, cashapp, zelle |
| Social networks | facebook, twitter, x, instagram, linkedin, youtube, tiktok |
| Shipping carriers | fedex, ups, usps, dhl |
`

const groups = TABLE.trim()
  .split('\n')
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map(([, group = '', names = '']) => ({ group, names: names.split(', ') }))

describe('addressing rule 6: reserved names, group by group', () => {
  test.each(groups)('$group', ({ names }) => {
    expect(names.filter((name) => !isReserved(name))).toEqual([])
    expect(names.filter((name) => !isReserved(name.toUpperCase()))).toEqual([])
  })

  test('no other name is reserved', () => {
    const specified = new Set(groups.flatMap(({ names }) => names))
    expect([...RESERVED_NAMES].filter((name) => !specified.has(name))).toEqual([])
    expect(['bob', 'qa2', 'admin.', 'support-team', ''].filter(isReserved)).toEqual([])
  })

  test('every reserved name is valid otherwise', () => {
    const refusals = [...RESERVED_NAMES].map((name) => checkMailboxName(name))
    expect(refusals.filter((refusal) => !('problem' in refusal) || refusal.problem !== 'reserved')).toEqual([])
  })
})

test('limit: there are at least 180 reserved names', () => {
  expect(RESERVED_NAMES.size).toBeGreaterThanOrEqual(180)
})
