/** The error of a backup or a restore. Its message tells the operator what is wrong and what to do. */
export class BackupError extends Error {}
