// No tests: the headers that all tests share are compiled with this file (cmake/LapwingTests.cmake).
