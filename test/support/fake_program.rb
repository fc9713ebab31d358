# frozen_string_literal: true

# A program that prints a given text, keeps its arguments in a file beside it, and ends with a given status.
# Needs TemporaryFolder.
module FakeProgram
  # @return [String] its path
  def fake_program(name, says, status: 0)
    path = File.join(folder, name)
    File.write(path,
      "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$0.arguments\"\ncat <<'END'\n#{says}\nEND\nexit #{status}\n")
    File.chmod(0o700, path)
    path
  end

  # @return [Array<String>] what it was called with last
  def arguments_of(name)
    File.readlines(File.join(folder, "#{name}.arguments"), chomp: true)
  end
end
