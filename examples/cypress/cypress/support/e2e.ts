import '@mailhatch/sdk/cypress'
