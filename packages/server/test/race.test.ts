import { describeWaitRaces } from './support/wait-races.ts'

// A thousand of them are in race.long.test.ts.
describeWaitRaces({ waits: 80, early: 20, atOnce: 50 })
