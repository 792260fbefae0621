import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into the program: HELP and unknown commands get no reply. For the test that has to notice. */
rewriteModules({
  '/smtp/dialogue.ts': [
    ['this.#answer(replies.helpReply(this.#offer))', `this.#answer('')`],
    ['this.#answer(replies.UNKNOWN_COMMAND)', `this.#answer('')`],
  ],
})
