# frozen_string_literal: true

# Root may write everywhere, so what a plain user meets is tried as one, in a child process.
module AsNobody
  NOBODY = 65_534
  # No system knows it: a container's platform gives such a user.
  UNKNOWN = 54_321

  # Without a home folder.
  # @return [Object] as for as_nobody
  def as_unknown_user(&work)
    as_nobody(UNKNOWN) do
      %w[HOME XDG_STATE_HOME HOLDUP_STORE].each { |name| ENV.delete(name) }
      work.call
    end
  end

  # @return [Object] what the block returned in the child (anything Marshal takes)
  def as_nobody(user = NOBODY)
    load_all
    reader, writer = IO.pipe(binmode: true)
    pid = fork do
      reader.close
      become(user)
      writer.write(Marshal.dump(yield))
      writer.close
    rescue Exception => error # rubocop:disable Lint/RescueException -- the child must not go on as a test
      $stderr.write(error.full_message)
    ensure
      exit!
    end
    writer.close
    Marshal.load(reader.read)
  ensure
    reader&.close
    Process.wait(pid) if pid
  end

  private

  # The user nobody may have no right to read our files. Who is not root stays who they are.
  def load_all
    return unless Process.uid.zero?
    Holdup.send(:const_get, :LOADER).eager_load if Holdup.const_defined?(:LOADER)
  end

  def become(user)
    return unless Process.uid.zero?
    Process::GID.change_privilege(user)
    Process::UID.change_privilege(user)
  end
end
