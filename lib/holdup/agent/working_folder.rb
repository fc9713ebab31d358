# frozen_string_literal: true

module Holdup
  # The folder that this process works in, also once it is deleted: a server outlives the folder of its
  # release, and workers that it forks then still measure. Dir.pwd raises there.
  module WorkingFolder
    # Linux says here which folder it is.
    LINK = "/proc/self/cwd"
    DELETED = " (deleted)"

    module_function

    # @return [String] where it is, or was
    def path
      Dir.pwd
    rescue SystemCallError
      former
    end

    # @return [Boolean] whether a child process could work in it
    def there?
      !!Dir.pwd
    rescue SystemCallError
      false
    end

    def former
      File.readlink(LINK).delete_suffix(DELETED)
    rescue SystemCallError
      "/"
    end
    private_class_method :former
  end
end
