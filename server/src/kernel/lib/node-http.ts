// Loads node:http without the WebSocket client of Node.

/**
 * The module node:http. `import` reads every export of the module, and one export loads the WebSocket client of Node, which
 * takes 14 MB of memory in each process.
 */
export const nodeHttp = process.getBuiltinModule('node:http')
