// Style sheets are bundled by esbuild; to the type checker importing one is only an effect.

declare module "*.css";
