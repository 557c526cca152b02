"""Line merge, conflict markers, line ends and encodings; knows no language."""
