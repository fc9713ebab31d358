# frozen_string_literal: true

# Children of processes whose other threads work on. CRuby 3.4 itself can lose one inside fork, with or
# without a hook (ForkTest says how): such a child is recognised by its silence, and another one is made.
# Scripts of `fresh_ruby` load it too.
module LivingChild
  PATIENCE_S = 60
  TRIES = 3

  module_function

  # @yield in the child
  # @return [Integer] its pid, once it has come out of fork
  def fork(&work)
    TRIES.times { (pid = attempt(&work)) and return pid }
    raise "#{TRIES} children in a row did not come out of fork"
  end

  def attempt
    reader, writer = IO.pipe
    pid = Process.fork do
      [reader, writer.tap { writer.write(".") }].each(&:close)
      yield
    end
    writer.close
    return pid if reader.wait_readable(PATIENCE_S) && reader.getc
    Process.kill(:KILL, pid)
    Process.wait(pid)
    nil
  ensure
    reader&.close
  end
end
