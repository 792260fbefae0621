import { startVisits, testVisits } from './accessibility.ts'

testVisits(await startVisits(), { isAllInBoth: true })
