import { administer } from '../support/postgres.ts'
import { AT } from './replica.ts'

export const TEAM = { id: 'team', domain: 'qa.test' }
const TEXT = 'A text as it is in many mails, with a link and some words around it. '.repeat(10)

/** A team of the previous schema with many messages, some of them marked, and what else an upgrade fills. */
export async function fillPrevious(url: string, count: number): Promise<void> {
  await administer(
    url,
    `insert into teams (id, name, plan, domain, created_at, last_position, message_count)
     values ('${TEAM.id}', 'QA', 'enterprise', '${TEAM.domain}', ${AT}, ${count}, ${count});
     insert into mailboxes (id, team_id, name, domain, created_at, updated_at)
     values ('box', '${TEAM.id}', 'large', '${TEAM.domain}', ${AT}, ${AT});
     insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, domain, sender, recipient, subject, received_at,
                           stored_at, size, attachment_count, subject_folded, sender_folded, recipient_folded,
                           mailbox_with_tag_folded, object_mailbox)
     select '${TEAM.id}', n, 'message-' || n, 'box', 'large', '${TEAM.domain}', 'shop@shop.example', 'large@${TEAM.domain}',
            'Hello ' || n, ${AT} + n, ${AT} + n, 500, 0, 'hello ' || n, 'shop@shop.example', 'large@${TEAM.domain}', 'large',
            'large'
     from generate_series(1, ${count}) n;
     insert into message_contents (sequence, headers, text, codes, links, attachments, parse)
     select sequence, '[]', '${TEXT}' || position, '[]', '[]', '[]', 'complete' from messages;
     insert into read_marks (sequence, team_id, is_read, version)
     select sequence, team_id, 1, 1 from messages where position % 10 = 0;
     update teams set read_count = ${count} / 10, mark_version = 1;
     insert into webhook_endpoints (id, team_id, url, is_active, secret, secret_masked, created_at, updated_at)
     values ('endpoint', '${TEAM.id}', 'https://endpoint.test', 0, '', '', ${AT}, ${AT});
     insert into deliveries (id, endpoint_id, event, event_id, message_id, body, status, attempt, created_at, finished_at)
     select 'delivery-' || n, 'endpoint', 'email.received', 'event-' || n, 'message-' || n, '{}', 'failed', 2, ${AT}, ${AT}
     from generate_series(1, ${count} / 10) n;
     insert into delivery_attempts (delivery, at)
     select sequence, ${AT} from deliveries cross join generate_series(1, 2);
     analyze`,
  )
}
