import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into the program: HELP and unknown commands get no reply. For the test that has to notice. */
rewriteModules({
  '/smtp/dialogue.ts': [
    ['this.#answers.give(replies.helpReply(this.#offer))', `this.#answers.give('')`],
    ['this.#answers.give(replies.UNKNOWN_COMMAND)', `this.#answers.give('')`],
  ],
})
