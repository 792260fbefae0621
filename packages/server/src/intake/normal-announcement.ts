import type { Announcement } from '@mailhatch/sdk'

/** A validated announcement: names are normalised and missing values filled in. */
export type NormalAnnouncement = Omit<Announcement, 'event' | 'receivedAt'> & { receivedAt: number }
