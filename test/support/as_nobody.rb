# frozen_string_literal: true

# Root may write everywhere, so what a plain user meets is tried as one, in a child process.
module AsNobody
  NOBODY = 65_534

  # @return [Object] what the block returned in the child (anything Marshal takes)
  def as_nobody
    load_all
    reader, writer = IO.pipe(binmode: true)
    pid = fork do
      reader.close
      become_nobody
      writer.write(Marshal.dump(yield))
      writer.close
      exit!(0)
    end
    writer.close
    Marshal.load(reader.read)
  ensure
    reader&.close
    Process.wait(pid) if pid
  end

  private

  # The user nobody may have no right to read our files.
  def load_all
    Holdup.send(:const_get, :LOADER).eager_load if Holdup.const_defined?(:LOADER)
  end

  def become_nobody
    return unless Process.uid.zero?
    Process::GID.change_privilege(NOBODY)
    Process::UID.change_privilege(NOBODY)
  end
end
