import type { Database } from './database.ts'
import { sql } from './sql.ts'
import type { Team } from './mailboxes.ts'
import type { TeamStore } from './teams.ts'

type BillingStore = Pick<
  TeamStore,
  'findBillingCustomer' | 'findTeamOfCustomer' | 'setBillingCustomer' | 'hasBillingEvent' | 'addBillingEvent'
>

export function billingStore({ read, write }: Database): BillingStore {
  return {
    async findBillingCustomer(teamId) {
      const [row] = await read<{ customer: string | null }>(
        sql`select billing_customer as customer from teams where id = ${teamId}`,
      )
      return row?.customer ?? null
    },

    async findTeamOfCustomer(customer) {
      const [team] = await read<Team>(sql`
        select id, name, plan, retention_days as "retentionDays", domain
        from teams
        where billing_customer = ${customer}`)
      return team ?? null
    },

    async setBillingCustomer(teamId, customer) {
      await write(sql`update teams set billing_customer = ${customer} where id = ${teamId}`)
    },

    async hasBillingEvent(id) {
      return (await read(sql`select 1 from billing_events where id = ${id}`)).length > 0
    },

    async addBillingEvent({ id, at }, forgetBefore) {
      await write(
        sql`delete from billing_events where at < ${forgetBefore}`,
        sql`insert into billing_events (id, at) values (${id}, ${at}) on conflict do nothing`,
      )
    },
  }
}
