exports.startMailhatch = require('@mailhatch/sdk/server').startMailhatch
