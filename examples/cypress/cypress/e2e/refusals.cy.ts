import { accept, reject } from '@mailhatch/sdk'

it('repeats a sign-up that the mail server refuses for now', () => {
  cy.inbox().then((inbox) => {
    cy.scriptInbox(inbox, [reject(451, { text: 'Try again later' }), accept()])
    cy.visit('/')
    cy.get('[name=email]').type(inbox.address)
    cy.contains('Sign up by code').click()
    cy.contains('[role=alert]', 'Try again later')
    cy.visit('/')
    cy.get('[name=email]').type(inbox.address)
    cy.contains('Sign up by code').click()
    cy.waitForEmail(inbox, { subject: 'Verify' })
  })
})
