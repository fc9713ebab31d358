# frozen_string_literal: true

# A real file system that can be full, for tests that run as root.
module SmallFileSystem
  # @param options [String] of mount, e.g. "size=900k"
  # @yieldparam folder [String]
  def on_tmpfs(options)
    Dir.mktmpdir do |folder|
      mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
      mounted = Thorough.on_linux && system(*mount, err: File::NULL)
      skip "mounting a tmpfs needs Linux and root" unless mounted
      yield folder
    ensure
      system("umount", "--lazy", folder) if mounted
    end
  end

  # Takes all the space that is left while the block runs.
  def filled(folder)
    path = File.join(folder, "filler")
    File.open(path, "wb") do |file|
      loop { file.syswrite("\0" * 4096) }
    rescue Errno::ENOSPC
      nil
    end
    yield
  ensure
    File.unlink(path)
  end
end
