// Words and bodies that several tests send, as section 4 shows them.

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const imageId = 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4';
export const unknownId = '00000000-0000-4000-8000-000000000000';

export const workers = {
  name: 'workers',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  node_processes: ['tasktracker', 'datanode'],
  flavor_id: '2',
};
export const masters = { ...workers, name: 'masters', node_processes: ['jobtracker', 'namenode'], flavor_id: '3' };

export const startBody = {
  name: 'cluster-1',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  default_image_id: imageId,
  user_keypair_id: 'my-key',
};
