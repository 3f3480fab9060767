// Says in Swahili how long ago something was.

/** Says that an age of `showAge` has passed: "saa 1 iliyopita", "saa 2 zilizopita". */
export function agoInSwahili(age: string): string {
  return `${age} ${/ (?:1|dakika)$/.test(age) ? 'iliyopita' : 'zilizopita'}`
}
