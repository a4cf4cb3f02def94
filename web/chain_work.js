export class ChainWork {}
