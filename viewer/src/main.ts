import './theme.css';
import './start.ts';
import './ui/app.ts';
