import { parentPort } from 'node:worker_threads'
import { openForWriting } from './connection.ts'
import { serveWriters } from './serve-writers.ts'

serveWriters(parentPort!, openForWriting)
